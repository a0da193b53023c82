#include "graph/nets/contract.hpp"

#include "graph/nets/spread.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::nets";

struct CoarseAddresses {
  const Vertex* coarse_of;
  const Address* ghosts;
  std::int64_t owned;
  int rank;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    const Vertex coarse = coarse_of[v];
    addresses[v] = coarse < owned ? address_of(rank, coarse) : ghosts[coarse - owned];
  }
};

struct IsHome {
  const int* is_home;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const { return is_home[e] != 0; }
};
struct LengthAt {
  const std::int64_t *offsets, *nets;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    lengths[i] = offsets[nets[i] + 1] - offsets[nets[i]];
  }
};
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

// The nets whose home is here, over coarse vertices.
LooseNets loosened(const NetLevel& fine, const exec::Array<Address>& addresses) {
  const Space& space = fine.space;
  const exec::Array<std::int64_t> homes =
      exec::numbers_that(space, label, fine.count(), IsHome{fine.is_home.data()});
  const exec::Array<std::int64_t> offsets(space, label, homes.size() + 1);
  exec::for_each(space, label, homes.size(),
                 LengthAt{fine.offsets.data(), homes.data(), offsets.data()});
  exec::for_each(space, label, 1,
                 exec::detail::Fill<std::int64_t>{offsets.data() + homes.size(), 0});
  const exec::Array<Address> pins(space, label, exec::sum_up(offsets));
  exec::for_each(
      space, label, homes.size(),
      WriteCoarsePins{NetsView(fine), homes.data(), offsets.data(), addresses.data(), pins.data()});
  return tidied(space, offsets, pins, exec::chosen(space, label, fine.weights.data(), homes)).nets;
}

}  // namespace

NetLevel contract_nets(const Communicator& communicator, const NetLevel& fine,
                       const Contracted& coarser) {
  const Space& space = fine.space;
  const Level& coarse = coarser.level;
  exec::Array<Address> addresses;
  Status ready = attempt(stage_name, [&] {
    addresses = {space, label, fine.local()};
    exec::for_each(space, label, fine.owned,
                   CoarseAddresses{coarser.coarse_of.data(), coarse.ghosts.addresses().data(),
                                   coarse.owned, communicator.rank(), addresses.data()});
  });
  fine.ghosts.refresh(addresses, 1, ready);
  LooseNets loose;
  ready = attempt(stage_name, [&] { loose = loosened(fine, addresses); });
  return spread(communicator, ready, space, coarse.owned, std::move(loose));
}

}  // namespace evenkeel::graphs
