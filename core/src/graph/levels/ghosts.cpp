#include "graph/levels/ghosts.hpp"
#include "graph/stage.hpp"

#include "graph/levels/by_owner.hpp"
#include "graph/levels/level.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

constexpr const char* ghosts_label = "evenkeel::graph::ghosts";

struct WriteIndices {
  const Address* addresses;
  std::int32_t* indices;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { indices[i] = index_of(addresses[i]); }
};

struct TakeIndices {
  const std::int32_t* indices;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    addresses[i] = address_of(rank_of(addresses[i]), indices[i]);
  }
};

struct FirstOfRank {
  const Address* addresses;
  std::int64_t count;
  std::int64_t* firsts;
  KOKKOS_FUNCTION void operator()(std::int64_t rank) const {
    firsts[rank] =
        count_before(count, [&](std::int64_t i) { return rank_of(addresses[i]) < rank; });
  }
};

// Returns the number of addresses on each rank, for ranks that have at least one.
std::vector<Note<std::int64_t>> counts_by_rank(const Space& space,
                                               const exec::Array<Address>& addresses, int ranks) {
  const exec::Array<std::int64_t> firsts(space, ghosts_label, ranks + 1);
  exec::for_each(space, ghosts_label, ranks + 1,
                 FirstOfRank{addresses.data(), addresses.size(), firsts.data()});
  return counts_to_ranks(firsts.on_host());
}

// Visits the ghosts that are neighbours of an owned vertex.
struct GhostsBeside {
  RowsView rows;
  std::int64_t owned;
  template <class Visit>
  KOKKOS_FUNCTION void operator()(std::int64_t v, const Visit& visit) const {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (rows.columns[e] >= owned) visit(rows.columns[e] - owned);
  }
};

}  // namespace

Ghosts::Ghosts(const Communicator& communicator, const Status& status, const Space& space,
               exec::Array<Address> addresses, const exec::Array<std::int32_t>& index_there) {
  if (communicator.size() == 1) {
    if (!status.ok()) throw Error(*status.error());
    return;
  }
  communicator_ = &communicator;
  count_ = addresses.size();
  addresses_ = std::move(addresses);
  exec::Array<std::int32_t> wanted;
  Status ready = status;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      wanted = {space, ghosts_label, count_};
      exec::for_each(space, ghosts_label, count_, WriteIndices{addresses_.data(), wanted.data()});
      from_ = counts_by_rank(space, addresses_, communicator.size());
    });
  to_ = announce(communicator, stage_name, ready, from_);
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      std::int64_t copies = 0;
      for (const Note<std::int64_t>& note : to_) copies += note.content;
      sent_ = {space, ghosts_label, copies};
      transfer.emplace(transfer_between(space, communicator, wanted, from_, sent_, to_));
    });
  vote(communicator, ready);
  transfer->run();
  if (!index_there.empty())
    exec::for_each(space, ghosts_label, sent_.size(),
                   exec::Pick{index_there.data(), sent_.data(), sent_.data()});
  space.fence(ghosts_label);
}

void Ghosts::learn_addresses(const Space& space, std::int64_t owned) {
  if (communicator_ == nullptr) return;
  exec::Array<std::int32_t> indices;
  const Status made = attempt(stage_name, [&] {
    indices = exec::counted_up<std::int32_t>(space, ghosts_label, owned + count_);
  });
  refresh(indices, 1, made);
  exec::for_each(space, ghosts_label, count_,
                 TakeIndices{indices.data() + owned, addresses_.data()});
  space.fence(ghosts_label);
}

void complete_ghosts(const Communicator& communicator, Level& level) {
  const Status made = attempt(stage_name, [&] {
    auto back = by_owner<Vertex>(level.space, ghosts_label, level.ghost_count(), level.owned,
                                 GhostsBeside{RowsView(level.rows), level.owned});
    level.back.offsets = std::move(back.offsets);
    level.back.columns = std::move(back.items);
  });
  if (communicator.size() == 1 && made.ok()) return;
  level.ghosts.refresh(level.names, 1, made);
  level.ghosts.refresh(level.weights, level.constraints);
  if (level.wishes.has_homes) level.ghosts.refresh(level.wishes.homes);
  if (level.wishes.has_fixed) level.ghosts.refresh(level.wishes.fixed);
}

}  // namespace evenkeel::graphs
