// Members of a cluster whose leader is elsewhere travel there with their rows; then each rank
// merges the rows of its clusters.

#include "graph/contract.hpp"

#include "graph/atomics.hpp"
#include "graph/complete_ghosts.hpp"
#include "graph/merge_rows.hpp"
#include "graph/travel.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/sort.hpp>

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

struct EdgesOf {
  const Traveller* travellers;
  std::int64_t* degrees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { degrees[i] = travellers[i].edges; }
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

}  // namespace

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
    const std::int64_t local = coarse.local();
    coarse.rows =
        merge_rows(space, members, owned, {local, fine.rows.columns.size() + arrived.edges.size()});

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
