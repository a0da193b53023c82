// Members of a cluster whose leader is elsewhere travel there with their rows; then each rank
// merges the rows of its clusters.

#include "graph/contract.hpp"

#include "by_number.hpp"
#include "graph/atomics.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/sort.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::contract";

// --- Leaders -------------------------------------------------------------------------------------

struct LeadsItself {
  const Address* leaders;
  int rank;
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t v) const {
    return leaders[v] == address_of(rank, static_cast<Vertex>(v)) ? 1 : 0;
  }
};

template <class Predicate>
struct AsValues {
  using non_const_value_type = std::int32_t;
  static constexpr unsigned rank = 1;
  Predicate predicate;
  std::int64_t count;
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t i) const { return predicate(i); }
  KOKKOS_FUNCTION std::size_t extent(int) const { return static_cast<std::size_t>(count); }
};

template <class Instance>
std::int32_t number_leaders(const Instance& instance, const LeadsItself& leads,
                            const exec::Array<std::int32_t>& numbers) {
  return exec::exclusive_scan(instance, AsValues<LeadsItself>{leads, numbers.size()},
                              exec::Values<std::int32_t>{numbers.data(), numbers.size()});
}

struct IsElsewhere {
  const Address* addresses;
  int rank;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return rank_of(addresses[i]) != rank; }
};

// --- Members that travel -------------------------------------------------------------------------

struct Traveller {
  Vertex leader;
  std::int32_t edges;
  std::int64_t stay;
};
struct TravellingEdge {
  Address leader;  // of the neighbour
  EdgeUnits weight;
};

struct Arrived {
  exec::Array<Traveller> members;
  exec::Array<std::int64_t> weights;
  exec::Array<std::int64_t> offsets;  // of the edges of each
  exec::Array<TravellingEdge> edges;
  exec::Array<Vertex> columns;  // coarse vertices

  std::int64_t count() const noexcept { return members.size(); }
};

struct WriteRank {
  const Address* leaders;
  const std::int64_t* members;
  std::uint32_t* ranks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    ranks[i] = static_cast<std::uint32_t>(rank_of(leaders[members[i]]));
  }
};

struct WriteTravellers {
  RowsView rows;
  const Address* leaders;
  const std::int64_t* members;
  const std::int64_t* weights;
  const std::int64_t* stay;  // null: none
  int constraints;
  Traveller* travellers;
  std::int64_t* weights_out;
  std::int64_t* degrees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t v = members[i];
    const std::int64_t degree = rows.offsets[v + 1] - rows.offsets[v];
    travellers[i] = {index_of(leaders[v]), static_cast<std::int32_t>(degree),
                     stay != nullptr ? stay[v] : 0};
    for (int c = 0; c < constraints; ++c)
      weights_out[i * constraints + c] = weights[v * constraints + c];
    degrees[i] = degree;
  }
};

struct WriteTravellingEdges {
  RowsView rows;
  const Address* leaders;
  const std::int64_t* members;
  const std::int64_t* firsts;
  TravellingEdge* edges;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t at = firsts[i];
    const std::int64_t v = members[i];
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      edges[at++] = {leaders[rows.columns[e]], rows.weights[e]};
  }
};

struct EdgesOf {
  const Traveller* travellers;
  std::int64_t* degrees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { degrees[i] = travellers[i].edges; }
};

struct Parcel {
  std::int64_t members, edges;
};

template <class T>
T* add_parts(std::vector<Send>& sends, int rank, T* next, std::int64_t count, MemoryKind memory) {
  if (count > 0)
    sends.push_back({rank, next, count * static_cast<std::int64_t>(sizeof(T)), memory});
  return next + count;
}
template <class T>
T* add_parts(std::vector<Receive>& receives, int rank, T* next, std::int64_t count,
             MemoryKind memory) {
  if (count > 0)
    receives.push_back({rank, next, count * static_cast<std::int64_t>(sizeof(T)), memory});
  return next + count;
}

// Messages of all parts of parcels. Used for both directions.
template <class Messages>
void add_parcels(Messages& messages, const std::vector<Note<Parcel>>& parcels, const Arrived& all,
                 int constraints) {
  Traveller* member = all.members.data();
  std::int64_t* weight = all.weights.data();
  TravellingEdge* edge = all.edges.data();
  const MemoryKind memory = all.members.memory();
  for (const Note<Parcel>& parcel : parcels) {
    const auto [members, edges] = parcel.content;
    member = add_parts(messages, parcel.rank, member, members, memory);
    weight = add_parts(messages, parcel.rank, weight, members * constraints, memory);
    edge = add_parts(messages, parcel.rank, edge, edges, memory);
  }
}

// What this rank sends: members by the rank of their leader.
Arrived travellers_of(const Level& fine, const exec::Array<Address>& leaders, int rank, int ranks,
                      std::vector<Note<Parcel>>& parcels) {
  const Space& space = fine.space;
  exec::Array<std::int64_t> members =
      exec::numbers_that(space, label, fine.owned, IsElsewhere{leaders.data(), rank});
  const exec::Array<std::uint32_t> ranks_of(space, label, members.size());
  exec::for_each(space, label, members.size(),
                 WriteRank{leaders.data(), members.data(), ranks_of.data()});
  const ByNumber by_rank = by_number(space, ranks_of, ranks);
  members = exec::chosen(space, label, members.data(), by_rank.places);
  Arrived leaving;
  leaving.members = {space, label, members.size()};
  leaving.weights = {space, label, members.size() * fine.constraints};
  leaving.offsets = {space, label, members.size()};
  const RowsView rows(fine.rows);
  exec::for_each(
      space, label, members.size(),
      WriteTravellers{rows, leaders.data(), members.data(), fine.weights.data(),
                      !fine.has_stay ? nullptr : fine.stay.data(), fine.constraints,
                      leaving.members.data(), leaving.weights.data(), leaving.offsets.data()});
  const std::int64_t edges = exec::sum_up(leaving.offsets);
  leaving.edges = {space, label, edges};
  exec::for_each(space, label, members.size(),
                 WriteTravellingEdges{rows, leaders.data(), members.data(), leaving.offsets.data(),
                                      leaving.edges.data()});
  const std::vector<std::int64_t> firsts = leaving.offsets.on_host();
  const auto edges_before = [&](std::int64_t member) {
    return member < std::ssize(firsts) ? firsts[static_cast<std::size_t>(member)] : edges;
  };
  for (int r = 0; r < ranks; ++r) {
    const std::int64_t begin = by_rank.offsets[static_cast<std::size_t>(r)];
    const std::int64_t end = by_rank.offsets[static_cast<std::size_t>(r) + 1];
    if (begin < end) parcels.push_back({r, {end - begin, edges_before(end) - edges_before(begin)}});
  }
  return leaving;
}

// Collective.
Arrived travel(const Communicator& communicator, const Status& status, const Level& fine,
               const exec::Array<Address>& leaders) {
  Arrived leaving, arrived;
  if (communicator.size() == 1) {
    if (!status.ok()) throw Error(*status.error());
    return arrived;
  }
  std::vector<Note<Parcel>> to, from;
  Status ready = status;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      leaving = travellers_of(fine, leaders, communicator.rank(), communicator.size(), to);
    });
  if (!ready.ok()) to.clear();
  const Status heard = attempt(
      stage_name, [&] { from = announce(communicator, std::span<const Note<Parcel>>(to)); });
  if (ready.ok()) ready = heard;
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      Parcel sum = {0, 0};
      for (const Note<Parcel>& parcel : from) {
        sum.members += parcel.content.members;
        sum.edges += parcel.content.edges;
      }
      arrived.members = {fine.space, label, sum.members};
      arrived.weights = {fine.space, label, sum.members * fine.constraints};
      arrived.offsets = {fine.space, label, sum.members + 1};
      arrived.edges = {fine.space, label, sum.edges};
      std::vector<Send> sends;
      std::vector<Receive> receives;
      add_parcels(sends, to, leaving, fine.constraints);
      add_parcels(receives, from, arrived, fine.constraints);
      transfer.emplace(fine.space, communicator, sends, receives);
    });
  vote(communicator, ready);
  transfer->run();
  return arrived;
}

// --- Coarse vertices of other ranks --------------------------------------------------------------

struct LeaderOfEdge {
  const TravellingEdge* edges;
  Address* leaders;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { leaders[i] = edges[i].leader; }
};

struct StartsRun {
  const Address* sorted;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return i == 0 || sorted[i] != sorted[i - 1];
  }
};

struct CoarseOf {
  const Address* leaders;
  const std::int32_t* numbers;  // of leaders here
  const Address* ghosts;        // leaders elsewhere, ascending
  std::int64_t ghost_count, owned;
  int rank;
  Vertex* coarse;

  KOKKOS_FUNCTION Vertex of(Address leader) const {
    if (rank_of(leader) == rank) return numbers[index_of(leader)];
    std::int64_t first = 0;
    for (std::int64_t rest = ghost_count; rest > 0;) {
      const std::int64_t half = rest / 2;
      const bool is_below = ghosts[first + half] < leader;
      first += is_below ? half + 1 : 0;
      rest = is_below ? rest - half - 1 : half;
    }
    return static_cast<Vertex>(owned + first);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { coarse[v] = of(leaders[v]); }
};

struct CoarseOfEdge {
  CoarseOf coarse_of;
  const TravellingEdge* edges;
  Vertex* columns;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    columns[e] = coarse_of.of(edges[e].leader);
  }
};

// The leaders elsewhere that members and arrivals know, distinct and ascending.
exec::Array<Address> leaders_elsewhere(const Space& space, const exec::Array<Address>& leaders,
                                       const Arrived& arrived, int rank) {
  const exec::Array<Address> of_edges(space, label, arrived.edges.size());
  exec::for_each(space, label, of_edges.size(),
                 LeaderOfEdge{arrived.edges.data(), of_edges.data()});
  const auto elsewhere = [&](const exec::Array<Address>& all) {
    return exec::numbers_that(space, label, all.size(), IsElsewhere{all.data(), rank});
  };
  const exec::Array<std::int64_t> first = elsewhere(leaders), second = elsewhere(of_edges);
  const exec::Array<Address> all(space, label, first.size() + second.size());
  exec::for_each(space, label, first.size(),
                 exec::detail::Pick<Address>{leaders.data(), first.data(), all.data()});
  exec::for_each(
      space, label, second.size(),
      exec::detail::Pick<Address>{of_edges.data(), second.data(), all.data() + first.size()});
  const auto places = exec::counted_up<std::uint64_t>(space, label, all.size());
  exec::sort_pairs(space, all.data(), places.data(), all.size());
  return exec::chosen(space, label, all.data(),
                      exec::numbers_that(space, label, all.size(), StartsRun{all.data()}));
}

// --- Members by cluster --------------------------------------------------------------------------

// Members count the fine vertices first, then the arrivals.
struct Clusters {
  exec::Array<std::int64_t> offsets;  // clusters + 1
  exec::Array<Vertex> members;
};

struct ClusterOf {
  const Vertex* coarse_of;
  const Traveller* arrived;
  const std::int32_t* numbers;
  std::int64_t fine, coarse;
  KOKKOS_FUNCTION Vertex operator()(std::int64_t member) const {
    return member < fine ? coarse_of[member] : numbers[arrived[member - fine].leader];
  }
};

template <class Instance>
struct CountMembers {
  ClusterOf cluster_of;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t member) const {
    const Vertex cluster = cluster_of(member);
    if (cluster < cluster_of.coarse) add<Instance>(&counts[cluster], std::int64_t{1});
  }
};

template <class Instance>
struct ListMembers {
  ClusterOf cluster_of;
  std::int64_t* ends;  // where the next one goes
  Vertex* members;
  KOKKOS_FUNCTION void operator()(std::int64_t member) const {
    const Vertex cluster = cluster_of(member);
    if (cluster < cluster_of.coarse)
      members[add<Instance>(&ends[cluster + 1], std::int64_t{1})] = static_cast<Vertex>(member);
  }
};

// ends[c + 1] becomes where the members of cluster c begin, and at last where they end.
template <class Instance>
void list_members(const Instance& instance, const ClusterOf& cluster_of, std::int64_t members,
                  const Clusters& clusters) {
  const std::int64_t coarse = cluster_of.coarse;
  std::int64_t* const ends = clusters.offsets.data();
  exec::for_each(instance, label, coarse + 1, exec::detail::Fill<std::int64_t>{ends, 0});
  exec::for_each(instance, label, members, CountMembers<Instance>{cluster_of, ends + 1});
  const exec::Values<std::int64_t> counts{ends + 1, coarse};
  exec::exclusive_scan(instance, counts, counts);
  exec::for_each(instance, label, members,
                 ListMembers<Instance>{cluster_of, ends, clusters.members.data()});
  exec::fence(instance, label);
}

// --- Merging rows --------------------------------------------------------------------------------

// Where a merged row is searched for a column one by one; longer ones have a hash table.
constexpr std::int64_t short_row = 16;

KOKKOS_INLINE_FUNCTION std::int64_t slots_for(std::int64_t most_entries) {
  std::int64_t slots = 1;
  while (slots < 2 * most_entries) slots *= 2;
  return slots;
}

struct Members {
  RowsView fine;
  const Vertex* coarse_of;
  const std::int64_t* arrived_offsets;
  const Vertex* arrived_columns;
  const TravellingEdge* arrived_edges;
  std::int64_t fine_count;
  const std::int64_t* offsets;
  const Vertex* members;

  KOKKOS_FUNCTION std::int64_t degree(Vertex member) const {
    if (member < fine_count) return fine.offsets[member + 1] - fine.offsets[member];
    const std::int64_t i = member - fine_count;
    return arrived_offsets[i + 1] - arrived_offsets[i];
  }
  // The most entries that the row of a cluster can have.
  KOKKOS_FUNCTION std::int64_t most_entries(std::int64_t cluster) const {
    std::int64_t most = 0;
    for (std::int64_t m = offsets[cluster]; m < offsets[cluster + 1]; ++m)
      most += degree(members[m]);
    return most;
  }
  // Calls visit(column, weight) for each edge of a cluster's members.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_edge(std::int64_t cluster, const Visit& visit) const {
    for (std::int64_t m = offsets[cluster]; m < offsets[cluster + 1]; ++m) {
      const Vertex member = members[m];
      if (member < fine_count) {
        for (std::int64_t e = fine.offsets[member]; e < fine.offsets[member + 1]; ++e)
          visit(coarse_of[fine.columns[e]], fine.weights[e]);
      } else {
        const std::int64_t i = member - fine_count;
        for (std::int64_t e = arrived_offsets[i]; e < arrived_offsets[i + 1]; ++e)
          visit(arrived_columns[e], arrived_edges[e].weight);
      }
    }
  }
};

// One row on its way.
struct RowInProgress {
  Vertex* columns;
  EdgeUnits* weights;
  std::int32_t* slots;  // null: none; all 0 before and after
  std::int64_t mask;
  std::int64_t length = 0;

  static KOKKOS_FUNCTION std::int64_t hash(Vertex column) {
    return static_cast<std::int64_t>((static_cast<std::uint32_t>(column) * 0x9E3779B1U) >> 7U);
  }
  KOKKOS_FUNCTION void raise(std::int64_t at, EdgeUnits weight) const {
    const EdgeUnits room = heaviest_edge - weights[at];
    weights[at] += weight < room ? weight : room;
  }
  KOKKOS_FUNCTION void append(Vertex column, EdgeUnits weight) {
    columns[length] = column;
    weights[length] = weight;
    ++length;
  }
  KOKKOS_FUNCTION void add(Vertex column, EdgeUnits weight) {
    if (slots == nullptr) {
      for (std::int64_t at = 0; at < length; ++at)
        if (columns[at] == column) return raise(at, weight);
      return append(column, weight);
    }
    for (std::int64_t slot = hash(column) & mask;; slot = (slot + 1) & mask) {
      const std::int32_t at = slots[slot] - 1;
      if (at < 0) {
        slots[slot] = static_cast<std::int32_t>(length + 1);
        return append(column, weight);
      }
      if (columns[at] == column) return raise(at, weight);
    }
  }
  KOKKOS_FUNCTION void clear_slots() const {
    if (slots == nullptr) return;
    for (std::int64_t i = 0; i < length; ++i) {
      std::int64_t slot = hash(columns[i]) & mask;
      while (slots[slot] != 0) {
        slots[slot] = 0;
        slot = (slot + 1) & mask;
      }
    }
  }
};

// Blocks of clusters whose rows are merged one after the other: on a host as many as threads, on a
// device one for each cluster.
struct MergeBlocks {
  Members members;
  std::int64_t clusters, blocks;
  const std::int64_t* room;    // where the entries of a block may begin
  const std::int64_t* tables;  // where the table of a block begins, and of the next
  std::int32_t* slots;
  Vertex* columns;
  EdgeUnits* weights;
  std::int64_t* lengths;

  KOKKOS_FUNCTION exec::Share share(std::int64_t block) const {
    const std::int64_t each = clusters / blocks, rest = clusters % blocks;
    const std::int64_t begin = each * block + (block < rest ? block : rest);
    return {begin, begin + each + (block < rest ? 1 : 0)};
  }
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const auto [begin, end] = share(block);
    std::int64_t at = room[block];
    for (std::int64_t cluster = begin; cluster < end; ++cluster) {
      const std::int64_t most = members.most_entries(cluster);
      const bool is_short = most <= short_row;
      RowInProgress row{columns + at, weights + at, is_short ? nullptr : slots + tables[block],
                        is_short ? 0 : slots_for(most) - 1};
      members.for_each_edge(cluster, [&](Vertex column, EdgeUnits weight) {
        if (column != cluster) row.add(column, weight);
      });
      row.clear_slots();
      lengths[cluster] = row.length;
      at += row.length;
    }
  }
};

// What the blocks need: entries, and the slots of their largest row.
struct MeasureBlocks {
  MergeBlocks merge;
  std::int64_t *room, *tables;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const auto [begin, end] = merge.share(block);
    std::int64_t entries = 0, largest = 0;
    for (std::int64_t cluster = begin; cluster < end; ++cluster) {
      const std::int64_t most = merge.members.most_entries(cluster);
      entries += most;
      largest = most > largest ? most : largest;
    }
    room[block] = entries;
    tables[block] = largest > short_row ? slots_for(largest) : 0;
  }
};

// Moves the rows of a block from where there was room to where they belong.
struct CloseRanks {
  MergeBlocks merge;
  const std::int64_t* offsets;
  Vertex* columns;
  EdgeUnits* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const auto [begin, end] = merge.share(block);
    const std::int64_t from = merge.room[block], to = offsets[begin];
    for (std::int64_t i = 0; i < offsets[end] - to; ++i) {
      columns[to + i] = merge.columns[from + i];
      weights[to + i] = merge.weights[from + i];
    }
  }
};

template <class Instance>
Rows merge_rows(const Instance& instance, const Space& space, const Members& members,
                std::int64_t clusters) {
  const std::int64_t blocks =
      is_device<Instance>
          ? clusters
          : std::min<std::int64_t>(exec::host_threads(), std::max<std::int64_t>(clusters, 1));
  Rows rows;
  rows.offsets = {space, label, clusters + 1};
  exec::Array<std::int64_t> room(space, label, blocks), tables(space, label, blocks);
  MergeBlocks merge{members,     clusters,      std::max<std::int64_t>(blocks, 1),
                    room.data(), tables.data(), nullptr,
                    nullptr,     nullptr,       rows.offsets.data()};
  exec::for_each(instance, label, blocks, MeasureBlocks{merge, room.data(), tables.data()});
  const std::int64_t entries = exec::sum_up(room), all_slots = exec::sum_up(tables);
  const auto slots = exec::filled<std::int32_t>(space, label, all_slots, 0);
  rows.columns = {space, label, entries};
  rows.weights = {space, label, entries};
  merge.slots = slots.data();
  merge.columns = rows.columns.data();
  merge.weights = rows.weights.data();
  exec::for_each(instance, label, blocks, merge);
  // The last one, which is nobody's length, becomes the sum.
  exec::for_each(instance, label, 1,
                 exec::detail::Fill<std::int64_t>{rows.offsets.data() + clusters, 0});
  const std::int64_t kept = exec::sum_up(rows.offsets);
  if (blocks <= 1) {
    rows.columns.resize(kept);
    rows.weights.resize(kept);
    return rows;
  }
  exec::Array<Vertex> columns(space, label, kept);
  exec::Array<EdgeUnits> weights(space, label, kept);
  exec::for_each(instance, label, blocks,
                 CloseRanks{merge, rows.offsets.data(), columns.data(), weights.data()});
  exec::fence(instance, label);
  rows.columns = std::move(columns);
  rows.weights = std::move(weights);
  return rows;
}

// --- Vertices ------------------------------------------------------------------------------------

struct SumMembers {
  Members members;
  const std::int64_t *weights, *arrived_weights;
  const std::int64_t* stay;  // null: none
  const Traveller* arrived;
  int constraints;
  std::int64_t *sums, *stay_sums;
  KOKKOS_FUNCTION void operator()(std::int64_t cluster) const {
    const std::int64_t first = members.offsets[cluster], end = members.offsets[cluster + 1];
    for (int c = 0; c < constraints; ++c) {
      std::int64_t sum = 0;
      for (std::int64_t m = first; m < end; ++m) {
        const std::int64_t i = members.members[m];
        sum += i < members.fine_count ? weights[i * constraints + c]
                                      : arrived_weights[(i - members.fine_count) * constraints + c];
      }
      sums[cluster * constraints + c] = sum;
    }
    if (stay == nullptr) return;
    std::int64_t sum = 0;
    for (std::int64_t m = first; m < end; ++m) {
      const std::int64_t i = members.members[m];
      sum += i < members.fine_count ? stay[i] : arrived[i - members.fine_count].stay;
    }
    stay_sums[cluster] = sum;
  }
};

// The values of the leaders, in an array with room for ghosts; empty where there are none.
template <class T>
exec::Array<T> of_leaders(const Space& space, const exec::Array<T>& values,
                          const exec::Array<std::int64_t>& leaders, std::int64_t local) {
  if (values.empty()) return {};
  exec::Array<T> chosen(space, label, local);
  exec::for_each(space, label, leaders.size(),
                 exec::detail::Pick<T>{values.data(), leaders.data(), chosen.data()});
  return chosen;
}

// --- Back from ghosts ----------------------------------------------------------------------------

template <class Instance>
struct CountBack {
  RowsView rows;
  std::int64_t owned;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (rows.columns[e] >= owned)
        add<Instance>(&counts[rows.columns[e] - owned], std::int64_t{1});
  }
};

template <class Instance>
struct ListBack {
  RowsView rows;
  std::int64_t owned;
  std::int64_t* ends;
  Vertex* back;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (rows.columns[e] >= owned)
        back[add<Instance>(&ends[rows.columns[e] - owned], std::int64_t{1})] =
            static_cast<Vertex>(v);
  }
};

// As list_members().
template <class Instance>
void list_back(const Instance& instance, Level& level) {
  const std::int64_t ghosts = level.ghost_count();
  level.back_offsets = {level.space, label, ghosts + 1};
  std::int64_t* const ends = level.back_offsets.data();
  const RowsView rows(level.rows);
  exec::for_each(instance, label, ghosts + 1, exec::detail::Fill<std::int64_t>{ends, 0});
  if (ghosts == 0) return exec::fence(instance, label);
  exec::for_each(instance, label, level.owned, CountBack<Instance>{rows, level.owned, ends + 1});
  const exec::Values<std::int64_t> counts{ends + 1, ghosts};
  level.back_columns = {level.space, label, exec::exclusive_scan(instance, counts, counts)};
  exec::for_each(instance, label, level.owned,
                 ListBack<Instance>{rows, level.owned, ends + 1, level.back_columns.data()});
  exec::fence(instance, label);
}

}  // namespace

void complete_ghosts(const Communicator& communicator, Level& level) {
  const Status made = attempt(stage_name, [&] {
    with_space(level.space, [&](const auto& instance) { list_back(instance, level); });
  });
  if (communicator.size() == 1 && made.ok()) return;
  level.ghosts.refresh(level.names, 1, made);
  level.ghosts.refresh(level.weights, level.constraints);
  if (level.has_homes) level.ghosts.refresh(level.homes);
  if (level.has_fixed) level.ghosts.refresh(level.fixed);
}

Contracted contract(const Communicator& communicator, const Status& status, const Level& fine,
                    const exec::Array<Address>& leaders) {
  const Space& space = fine.space;
  const int rank = communicator.rank();
  Arrived arrived = travel(communicator, status, fine, leaders);
  Contracted result;
  Level& coarse = result.level;
  coarse.has_homes = fine.has_homes;
  coarse.has_fixed = fine.has_fixed;
  coarse.has_stay = fine.has_stay;
  coarse.has_keys = fine.has_keys;
  exec::Array<std::int32_t> numbers;
  exec::Array<Address> elsewhere;
  Status ready = attempt(stage_name, [&] {
    numbers = {space, label, fine.owned};
    coarse.owned = with_space(space, [&](const auto& instance) {
      return number_leaders(instance, LeadsItself{leaders.data(), rank}, numbers);
    });
    if (communicator.size() > 1) elsewhere = leaders_elsewhere(space, leaders, arrived, rank);
  });
  const std::int64_t owned = coarse.owned;
  coarse.ghosts = Ghosts(communicator, ready, space, elsewhere, numbers);
  ready = attempt(stage_name, [&] {
    coarse.space = space;
    coarse.constraints = fine.constraints;
    const CoarseOf coarse_of{leaders.data(), numbers.data(), elsewhere.data(), elsewhere.size(),
                             owned,          rank,           nullptr};
    result.coarse_of = {space, label, fine.local()};
    CoarseOf of_vertices = coarse_of;
    of_vertices.coarse = result.coarse_of.data();
    exec::for_each(space, label, fine.local(), of_vertices);
    if (arrived.count() > 0) {
      arrived.columns = {space, label, arrived.edges.size()};
      exec::for_each(space, label, arrived.edges.size(),
                     CoarseOfEdge{coarse_of, arrived.edges.data(), arrived.columns.data()});
      exec::for_each(space, label, arrived.count(),
                     EdgesOf{arrived.members.data(), arrived.offsets.data()});
      exec::for_each(space, label, 1,
                     exec::detail::Fill<std::int64_t>{arrived.offsets.data() + arrived.count(), 0});
      exec::sum_up(arrived.offsets);
    }

    Clusters clusters{{space, label, owned + 1}, {space, label, fine.owned + arrived.count()}};
    const ClusterOf cluster_of{result.coarse_of.data(), arrived.members.data(), numbers.data(),
                               fine.owned, owned};
    with_space(space, [&](const auto& instance) {
      list_members(instance, cluster_of, fine.owned + arrived.count(), clusters);
    });
    const Members members{RowsView(fine.rows),     result.coarse_of.data(), arrived.offsets.data(),
                          arrived.columns.data(),  arrived.edges.data(),    fine.owned,
                          clusters.offsets.data(), clusters.members.data()};
    coarse.rows = with_space(
        space, [&](const auto& instance) { return merge_rows(instance, space, members, owned); });

    const std::int64_t local = coarse.local();
    const exec::Array<std::int64_t> leading =
        exec::numbers_that(space, label, fine.owned, LeadsItself{leaders.data(), rank});
    coarse.weights = {space, label, local * fine.constraints};
    if (fine.has_stay) coarse.stay = {space, label, owned};
    exec::for_each(space, label, owned,
                   SumMembers{members, fine.weights.data(), arrived.weights.data(),
                              !fine.has_stay ? nullptr : fine.stay.data(), arrived.members.data(),
                              fine.constraints, coarse.weights.data(), coarse.stay.data()});
    coarse.names = of_leaders(space, fine.names, leading, local);
    coarse.homes = of_leaders(space, fine.homes, leading, local);
    coarse.fixed = of_leaders(space, fine.fixed, leading, local);
    coarse.keys = of_leaders(space, fine.keys, leading, owned);
    space.fence(label);
  });
  vote(communicator, ready);
  coarse.all_vertices = communicator.all_reduce(coarse.owned, Reduction::sum);
  coarse.ghosts.learn_addresses(space, owned);
  complete_ghosts(communicator, coarse);
  return result;
}

}  // namespace evenkeel::graphs
