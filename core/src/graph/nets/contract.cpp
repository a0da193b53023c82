#include "graph/nets/steps.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

struct WriteCoarsePins {
  NetsView nets;
  const std::int64_t *homes, *offsets;
  const Address* addresses;
  Address* pins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = nets.offsets[homes[i]];
    for (std::int64_t k = 0; k < offsets[i + 1] - offsets[i]; ++k)
      pins[offsets[i] + k] = addresses[nets.pins[begin + k]];
  }
};

// The nets whose home is this rank, with coarse vertices as their pins.
LooseNets loosened(const NetLevel& fine, const exec::Array<Address>& addresses) {
  const Space& space = fine.space;
  const exec::Array<std::int64_t> homes =
      exec::numbers_that(space, nets_label, fine.count(), exec::IsOther{fine.is_home.data(), 0});
  const exec::Array<std::int64_t> offsets(space, nets_label, homes.size() + 1);
  exec::for_each(space, nets_label, homes.size(),
                 exec::RowLengths{fine.offsets.data(), homes.data(), offsets.data()});
  const exec::Array<Address> pins(space, nets_label, exec::to_offsets(offsets));
  exec::for_each(
      space, nets_label, homes.size(),
      WriteCoarsePins{NetsView(fine), homes.data(), offsets.data(), addresses.data(), pins.data()});
  return tidied(space, offsets, pins, exec::chosen(space, nets_label, fine.weights.data(), homes))
      .nets;
}

}  // namespace

NetLevel contract_nets(const Communicator& communicator, const NetLevel& fine,
                       const Contracted& coarser) {
  const Space& space = fine.space;
  const Level& coarse = coarser.level;
  exec::Array<Address> addresses;
  Status ready = attempt(stage_name, [&] {
    addresses = {space, nets_label, fine.local()};
    exec::for_each(space, nets_label, fine.owned,
                   WriteAddresses{coarser.coarse_of.data(), coarse.ghosts.addresses().data(),
                                  coarse.owned, communicator.rank(), addresses.data()});
  });
  fine.ghosts.refresh(addresses, 1, ready);
  LooseNets loose;
  ready = attempt(stage_name, [&] { loose = loosened(fine, addresses); });
  return spread(communicator, ready, space, coarse.owned, std::move(loose));
}

}  // namespace evenkeel::graphs
