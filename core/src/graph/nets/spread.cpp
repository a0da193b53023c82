#include "graph/nets/spread.hpp"

#include "by_number.hpp"
#include "graph/atomics.hpp"
#include "graph/distinct.hpp"
#include "graph/nets/merge.hpp"
#include "graph/travel.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/graph/net_description.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::nets";

// --- Tidying -------------------------------------------------------------------------------------

// Sorts the pins of a net by insertion: most are in order. Leaves how many are distinct, in front,
// and 0 for nets that cannot be cut.
struct SortPins {
  const std::int64_t* offsets;
  const EdgeUnits* weights;
  Address* pins;
  std::int64_t *lengths, *duplicates;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t begin = offsets[e], end = offsets[e + 1];
    lengths[e] = duplicates[e] = 0;
    if (end - begin > most_net_pins) return;
    std::int64_t distinct = begin;
    for (std::int64_t i = begin; i < end; ++i) {
      const Address pin = pins[i];
      std::int64_t at = distinct;
      while (at > begin && pins[at - 1] > pin) --at;
      if (at > begin && pins[at - 1] == pin) continue;
      for (std::int64_t j = distinct; j > at; --j) pins[j] = pins[j - 1];
      pins[at] = pin;
      ++distinct;
    }
    duplicates[e] = end - distinct;
    if (distinct - begin > 1 && weights[e] > 0) lengths[e] = distinct - begin;
  }
};

struct SumOf {
  const std::int64_t* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return values[i]; }
};
struct IsKept {
  const std::int64_t* lengths;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const { return lengths[e] > 0; }
};

// Copies nets to where their pins begin.
struct CopyNets {
  const std::int64_t *nets, *offsets, *offsets_out;
  const Address* pins;
  Address* pins_out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t from = offsets[nets[i]], count = offsets_out[i + 1] - offsets_out[i];
    for (std::int64_t k = 0; k < count; ++k) pins_out[offsets_out[i] + k] = pins[from + k];
  }
};

// Offsets of rows of these lengths.
exec::Array<std::int64_t> offsets_of(const Space& space, const exec::Array<std::int64_t>& lengths,
                                     const exec::Array<std::int64_t>& nets) {
  exec::Array<std::int64_t> offsets(space, label, nets.size() + 1);
  exec::for_each(space, label, nets.size(),
                 exec::detail::Pick<std::int64_t>{lengths.data(), nets.data(), offsets.data()});
  exec::for_each(space, label, 1,
                 exec::detail::Fill<std::int64_t>{offsets.data() + nets.size(), 0});
  exec::sum_up(offsets);
  return offsets;
}

// --- Travelling ----------------------------------------------------------------------------------

// Pins are ordered by rank.
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

// What travels of a net beside its pins.
struct Head {
  std::int32_t pins;
  EdgeUnits weight;
};
struct WriteHeads {
  const std::int64_t *nets, *offsets;
  const EdgeUnits* weights;
  Head* heads;
  std::int64_t* lengths;  // of the copies
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

struct Parcel {
  std::int64_t nets, pins;
};
struct Copies {
  exec::Array<Head> heads;
  exec::Array<std::int64_t> offsets;
  exec::Array<Address> pins;
};

// Copies of the nets by the ranks that they go to.
Copies copies_of(const Space& space, const LooseNets& loose, int ranks,
                 std::vector<Note<Parcel>>& parcels) {
  exec::Array<std::int64_t> firsts(space, label, loose.count());
  exec::for_each(space, label, loose.count(),
                 CountRanks{loose.offsets.data(), loose.pins.data(), firsts.data()});
  const std::int64_t count = exec::sum_up(firsts);
  const exec::Array<std::uint32_t> to(space, label, count);
  exec::Array<std::int64_t> nets(space, label, count);
  exec::for_each(
      space, label, loose.count(),
      WriteRanks{loose.offsets.data(), firsts.data(), loose.pins.data(), to.data(), nets.data()});
  const ByNumber by_rank = by_number(space, to, ranks);
  nets = exec::chosen(space, label, nets.data(), by_rank.places);
  Copies copies{{space, label, count}, {space, label, count + 1}, {}};
  exec::for_each(space, label, 1,
                 exec::detail::Fill<std::int64_t>{copies.offsets.data() + count, 0});
  exec::for_each(space, label, count,
                 WriteHeads{nets.data(), loose.offsets.data(), loose.weights.data(),
                            copies.heads.data(), copies.offsets.data()});
  copies.pins = {space, label, exec::sum_up(copies.offsets)};
  exec::for_each(space, label, count,
                 CopyNets{nets.data(), loose.offsets.data(), copies.offsets.data(),
                          loose.pins.data(), copies.pins.data()});
  const std::vector<std::int64_t> ends = exec::picked(copies.offsets, label, by_rank.offsets);
  for (std::size_t r = 0; r + 1 < by_rank.offsets.size(); ++r)
    if (by_rank.offsets[r] < by_rank.offsets[r + 1])
      parcels.push_back({static_cast<int>(r),
                         {by_rank.offsets[r + 1] - by_rank.offsets[r], ends[r + 1] - ends[r]}});
  return copies;
}

void add_messages(const std::vector<Note<Parcel>>& parcels, const Copies& copies,
                  std::vector<Send>& sends) {
  const Head* head = copies.heads.data();
  const Address* pin = copies.pins.data();
  for (const auto& [rank, parcel] : parcels) {
    sends.push_back(
        {rank, head, parcel.nets * static_cast<std::int64_t>(sizeof(Head)), copies.heads.memory()});
    sends.push_back({rank, pin, parcel.pins * static_cast<std::int64_t>(sizeof(Address)),
                     copies.pins.memory()});
    head += parcel.nets;
    pin += parcel.pins;
  }
}
void add_messages(const std::vector<Note<Parcel>>& parcels, const Copies& copies,
                  std::vector<Receive>& receives) {
  Head* head = copies.heads.data();
  Address* pin = copies.pins.data();
  for (const auto& [rank, parcel] : parcels) {
    receives.push_back(
        {rank, head, parcel.nets * static_cast<std::int64_t>(sizeof(Head)), copies.heads.memory()});
    receives.push_back({rank, pin, parcel.pins * static_cast<std::int64_t>(sizeof(Address)),
                        copies.pins.memory()});
    head += parcel.nets;
    pin += parcel.pins;
  }
}

// Collective. The nets of all ranks that have a pin on this one.
LooseNets exchanged(const Communicator& communicator, const Status& status, const Space& space,
                    const LooseNets& loose) {
  Copies leaving, arrived;
  std::vector<Note<Parcel>> to, from;
  Status ready = status;
  if (ready.ok())
    ready =
        attempt(stage_name, [&] { leaving = copies_of(space, loose, communicator.size(), to); });
  if (!ready.ok()) to.clear();
  const Status heard = attempt(
      stage_name, [&] { from = announce(communicator, std::span<const Note<Parcel>>(to)); });
  if (ready.ok()) ready = heard;
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      Parcel sum = {0, 0};
      for (const Note<Parcel>& parcel : from) {
        sum.nets += parcel.content.nets;
        sum.pins += parcel.content.pins;
      }
      arrived = {{space, label, sum.nets}, {space, label, sum.nets + 1}, {space, label, sum.pins}};
      std::vector<Send> sends;
      std::vector<Receive> receives;
      add_messages(to, leaving, sends);
      add_messages(from, arrived, receives);
      space.fence(label);
      transfer.emplace(space, communicator, sends, receives);
    });
  vote(communicator, ready);
  transfer->run();
  LooseNets mine;
  vote(communicator, attempt(stage_name, [&] {
         const std::int64_t count = arrived.heads.size();
         mine.weights = {space, label, count};
         exec::for_each(
             space, label, count,
             ReadHeads{arrived.heads.data(), arrived.offsets.data(), mine.weights.data()});
         exec::for_each(space, label, 1,
                        exec::detail::Fill<std::int64_t>{arrived.offsets.data() + count, 0});
         exec::sum_up(arrived.offsets);
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

template <class Instance>
struct CountNets {
  const Vertex* pins;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    add<Instance>(&counts[pins[i]], std::int64_t{1});
  }
};
template <class Instance>
struct ListNets {
  const std::int64_t* offsets;
  const Vertex* pins;
  std::int64_t* ends;
  Net* nets;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    for (std::int64_t i = offsets[e]; i < offsets[e + 1]; ++i)
      nets[add<Instance>(&ends[pins[i] + 1], std::int64_t{1})] = static_cast<Net>(e);
  }
};

// ends[v + 1] becomes where the nets of v begin, and at last where they end.
template <class Instance>
void list_nets(const Instance& instance, NetLevel& level) {
  const std::int64_t local = level.local();
  level.firsts = {level.space, label, local + 1};
  level.nets = {level.space, label, level.pins.size()};
  std::int64_t* const ends = level.firsts.data();
  exec::for_each(instance, label, local + 1, exec::detail::Fill<std::int64_t>{ends, 0});
  exec::for_each(instance, label, level.pins.size(),
                 CountNets<Instance>{level.pins.data(), ends + 1});
  const exec::Values<std::int64_t> counts{ends + 1, local};
  exec::exclusive_scan(instance, counts, counts);
  exec::for_each(
      instance, label, level.count(),
      ListNets<Instance>{level.offsets.data(), level.pins.data(), ends, level.nets.data()});
  exec::fence(instance, label);
}

}  // namespace

Tidied tidied(const Space& space, const exec::Array<std::int64_t>& offsets,
              const exec::Array<Address>& pins, const exec::Array<EdgeUnits>& weights) {
  const exec::Array<std::int64_t> lengths(space, label, weights.size());
  const exec::Array<std::int64_t> duplicates(space, label, weights.size());
  exec::for_each(
      space, label, weights.size(),
      SortPins{offsets.data(), weights.data(), pins.data(), lengths.data(), duplicates.data()});
  Tidied result;
  result.duplicates = exec::sum<std::int64_t>(space, duplicates.size(), SumOf{duplicates.data()});
  const exec::Array<std::int64_t> kept =
      exec::numbers_that(space, label, weights.size(), IsKept{lengths.data()});
  LooseNets& nets = result.nets;
  nets.offsets = offsets_of(space, lengths, kept);
  std::int64_t all = 0;
  nets.offsets.fetch(kept.size(), {&all, 1});
  nets.pins = {space, label, all};
  exec::for_each(
      space, label, kept.size(),
      CopyNets{kept.data(), offsets.data(), nets.offsets.data(), pins.data(), nets.pins.data()});
  nets.weights = exec::chosen(space, label, weights.data(), kept);
  return result;
}

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
    level.is_home = {space, label, mine.count()};
    exec::for_each(space, label, mine.count(),
                   WriteHome{mine.offsets.data(), mine.pins.data(), rank, level.is_home.data()});
    if (!is_alone)
      elsewhere =
          distinct(space, exec::chosen(space, label, mine.pins.data(),
                                       exec::numbers_that(space, label, mine.pins.size(),
                                                          IsElsewhere{mine.pins.data(), rank})));
  });
  level.ghosts = Ghosts(communicator, ready, space, std::move(elsewhere), {});
  vote(communicator, attempt(stage_name, [&] {
         const exec::Array<Address>& ghosts = level.ghosts.addresses();
         level.pins = {space, label, mine.pins.size()};
         exec::for_each(space, label, level.pins.size(),
                        WritePins{mine.pins.data(), ghosts.data(), ghosts.size(), owned, rank,
                                  level.pins.data()});
         level.offsets = std::move(mine.offsets);
         level.weights = std::move(mine.weights);
         with_space(space, [&](const auto& instance) { list_nets(instance, level); });
       }));
  return level;
}

}  // namespace evenkeel::graphs
