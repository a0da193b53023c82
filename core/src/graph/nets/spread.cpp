#include "graph/nets/steps.hpp"
#include "graph/stage.hpp"

#include "graph/levels/by_owner.hpp"
#include "graph/levels/travel.hpp"
#include "order/bisect.hpp"
#include "order/sort_by_number.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/graph/nets.hpp>

#include <utility>

namespace evenkeel::graphs {

namespace {

// --- Travelling ----------------------------------------------------------------------------------

// Counts the ranks that own pins of a net. The pins are sorted by rank.
struct CountRanks {
  const std::int64_t* offsets;
  const Address* pins;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::int64_t ranks = 1;
    for (std::int64_t i = offsets[e] + 1; i < offsets[e + 1]; ++i)
      ranks += rank_of(pins[i]) != rank_of(pins[i - 1]) ? 1 : 0;
    counts[e] = ranks;
  }
};
struct WriteRanks {
  const std::int64_t *offsets, *firsts;
  const Address* pins;
  std::uint32_t* ranks;
  std::int64_t* nets;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::int64_t at = firsts[e];
    for (std::int64_t i = offsets[e]; i < offsets[e + 1]; ++i) {
      if (i > offsets[e] && rank_of(pins[i]) == rank_of(pins[i - 1])) continue;
      ranks[at] = static_cast<std::uint32_t>(rank_of(pins[i]));
      nets[at++] = e;
    }
  }
};

// The data of a net, besides its pins, that is sent with a copy.
struct Head {
  std::int32_t pins;
  EdgeUnits weight;
};
struct WriteHeads {
  const std::int64_t *nets, *offsets;
  const EdgeUnits* weights;
  Head* heads;
  std::int64_t* lengths;  // number of pins of each copy
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t e = nets[i];
    lengths[i] = offsets[e + 1] - offsets[e];
    heads[i] = {static_cast<std::int32_t>(lengths[i]), weights[e]};
  }
};
struct ReadHeads {
  const Head* heads;
  std::int64_t* lengths;
  EdgeUnits* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    lengths[i] = heads[i].pins;
    weights[i] = heads[i].weight;
  }
};

struct NetCopies {
  exec::Array<Head> heads;
  exec::Array<std::int64_t> offsets;
  exec::Array<Address> pins;
};

// Makes the copies of nets that this rank sends, sorted by receiving rank.
NetCopies copies_of(const Space& space, const LooseNets& loose, int ranks,
                    std::vector<Note<RowParcel>>& parcels) {
  exec::Array<std::int64_t> firsts(space, nets_label, loose.count());
  exec::for_each(space, nets_label, loose.count(),
                 CountRanks{loose.offsets.data(), loose.pins.data(), firsts.data()});
  const std::int64_t count = exec::sum_up(firsts);
  const exec::Array<std::uint32_t> to(space, nets_label, count);
  exec::Array<std::int64_t> nets(space, nets_label, count);
  exec::for_each(
      space, nets_label, loose.count(),
      WriteRanks{loose.offsets.data(), firsts.data(), loose.pins.data(), to.data(), nets.data()});
  const SortedByNumber by_rank = sort_by_number(space, to, ranks);
  nets = exec::chosen(space, nets_label, nets.data(), by_rank.places);
  NetCopies copies{{space, nets_label, count}, {space, nets_label, count + 1}, {}};
  exec::for_each(space, nets_label, count,
                 WriteHeads{nets.data(), loose.offsets.data(), loose.weights.data(),
                            copies.heads.data(), copies.offsets.data()});
  copies.pins = {space, nets_label, exec::to_offsets(copies.offsets)};
  exec::for_each(space, nets_label, count,
                 CopyNets{nets.data(), loose.offsets.data(), copies.offsets.data(),
                          loose.pins.data(), copies.pins.data()});
  parcels = parcels_of(by_rank.offsets, copies.offsets);
  return copies;
}

// Collective. Returns the nets, of all ranks, that have a pin on this rank.
LooseNets exchanged(const Communicator& communicator, const Status& status, const Space& space,
                    const LooseNets& loose) {
  const auto load = [&](std::vector<Note<RowParcel>>& parcels) {
    return copies_of(space, loose, communicator.size(), parcels);
  };
  const auto room_for = [&](const RowParcel& all) -> NetCopies {
    return {{space, nets_label, all.rows},
            {space, nets_label, all.rows + 1},
            {space, nets_label, all.entries}};
  };
  const auto add = [](auto& messages, const std::vector<Note<RowParcel>>& parcels,
                      const NetCopies& copies) {
    add_messages(messages, parcels, copies.heads.data(), copies.heads.memory(), rows_of);
    add_messages(messages, parcels, copies.pins.data(), copies.pins.memory(), entries_of);
  };
  NetCopies arrived =
      exchanged_parcels<NetCopies>(communicator, status, space, load, room_for, add);
  LooseNets mine;
  vote(communicator, attempt(stage_name, [&] {
         const std::int64_t count = arrived.heads.size();
         mine.weights = {space, nets_label, count};
         exec::for_each(
             space, nets_label, count,
             ReadHeads{arrived.heads.data(), arrived.offsets.data(), mine.weights.data()});
         exec::to_offsets(arrived.offsets);
         mine.offsets = std::move(arrived.offsets);
         mine.pins = std::move(arrived.pins);
       }));
  return mine;
}

// --- On the rank ---------------------------------------------------------------------------------

struct WritePins {
  const Address *addresses, *ghosts;
  std::int64_t ghost_count, owned;
  int rank;
  Vertex* pins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Address address = addresses[i];
    pins[i] = rank_of(address) == rank
                  ? index_of(address)
                  : static_cast<Vertex>(owned + place_in(ghosts, ghost_count, address));
  }
};
struct WriteHome {
  const std::int64_t* offsets;
  const Address* pins;
  int rank;
  int* is_home;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    is_home[e] = rank_of(pins[offsets[e]]) == rank ? 1 : 0;
  }
};

// The vertices and ghosts of a net.
struct PinsOf {
  const std::int64_t* offsets;
  const Vertex* pins;
  template <class Visit>
  KOKKOS_FUNCTION void operator()(std::int64_t e, const Visit& visit) const {
    for (std::int64_t i = offsets[e]; i < offsets[e + 1]; ++i) visit(pins[i]);
  }
};

}  // namespace

NetLevel spread(const Communicator& communicator, const Status& status, const Space& space,
                std::int64_t owned, LooseNets&& loose) {
  const int rank = communicator.rank();
  const bool is_alone = communicator.size() == 1;
  if (is_alone && !status.ok()) throw Error(*status.error());
  LooseNets mine = is_alone ? std::move(loose) : exchanged(communicator, status, space, loose);
  NetLevel level;
  exec::Array<Address> elsewhere;
  Status ready = attempt(stage_name, [&] {
    mine = merged(space, std::move(mine));
    level.space = space;
    level.owned = owned;
    level.is_home = {space, nets_label, mine.count()};
    exec::for_each(space, nets_label, mine.count(),
                   WriteHome{mine.offsets.data(), mine.pins.data(), rank, level.is_home.data()});
    if (!is_alone)
      elsewhere =
          exec::distinct(space, nets_label,
                         exec::chosen(space, nets_label, mine.pins.data(),
                                      exec::numbers_that(space, nets_label, mine.pins.size(),
                                                         IsElsewhere{mine.pins.data(), rank})));
  });
  level.ghosts = Ghosts(communicator, ready, space, std::move(elsewhere), {});
  vote(communicator, attempt(stage_name, [&] {
         const exec::Array<Address>& ghosts = level.ghosts.addresses();
         level.pins = {space, nets_label, mine.pins.size()};
         exec::for_each(space, nets_label, level.pins.size(),
                        WritePins{mine.pins.data(), ghosts.data(), ghosts.size(), owned, rank,
                                  level.pins.data()});
         level.offsets = std::move(mine.offsets);
         level.weights = std::move(mine.weights);
         auto by_vertex = by_owner<Net>(space, nets_label, level.local(), level.count(),
                                        PinsOf{level.offsets.data(), level.pins.data()});
         level.firsts = std::move(by_vertex.offsets);
         level.nets = std::move(by_vertex.items);
       }));
  return level;
}

}  // namespace evenkeel::graphs
