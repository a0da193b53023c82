// Fine vertices are the members of clusters. A member whose leader is on another rank travels to
// that rank with its row. Then each rank merges the rows of its clusters.

#include "graph/levels/contract.hpp"
#include "graph/stage.hpp"

#include "graph/levels/by_owner.hpp"
#include "graph/levels/merge_rows.hpp"
#include "graph/levels/travel.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

// --- Leaders -------------------------------------------------------------------------------------

struct LeadsItself {
  const Address* leaders;
  int rank;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    return leaders[v] == address_of(rank, static_cast<Vertex>(v));
  }
};

struct WriteNumber {
  const std::int64_t* leading;
  std::int32_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    numbers[leading[i]] = static_cast<std::int32_t>(i);
  }
};

struct WriteSelf {
  int rank;
  std::int64_t owned;
  const Address* ghosts;
  Address* leaders;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    leaders[v] = v < owned ? address_of(rank, static_cast<Vertex>(v)) : ghosts[v - owned];
  }
};

// --- Coarse vertices of other ranks --------------------------------------------------------------

struct LeaderOfEdge {
  const TravellingEdge* edges;
  Address* leaders;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { leaders[i] = edges[i].leader; }
};

struct CoarseOf {
  const Address* leaders;
  const std::int32_t* numbers;  // coarse vertices, by leader on this rank
  const Address* ghosts;        // leaders on other ranks, ascending
  std::int64_t ghost_count, owned;
  int rank;
  Vertex* coarse;

  KOKKOS_FUNCTION Vertex of(Address leader) const {
    if (rank_of(leader) == rank) return numbers[index_of(leader)];
    return static_cast<Vertex>(owned + place_in(ghosts, ghost_count, leader));
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

// Returns the leaders on other ranks that members and arrived edges refer to, distinct and
// ascending.
exec::Array<Address> leaders_elsewhere(const Space& space, const exec::Array<Address>& leaders,
                                       const Arrived& arrived, int rank) {
  const exec::Array<Address> of_edges(space, contract_label, arrived.edges.size());
  exec::for_each(space, contract_label, of_edges.size(),
                 LeaderOfEdge{arrived.edges.data(), of_edges.data()});
  const auto elsewhere = [&](const exec::Array<Address>& all) {
    return exec::numbers_that(space, contract_label, all.size(), IsElsewhere{all.data(), rank});
  };
  const exec::Array<std::int64_t> first = elsewhere(leaders), second = elsewhere(of_edges);
  const exec::Array<Address> all(space, contract_label, first.size() + second.size());
  exec::for_each(space, contract_label, first.size(),
                 exec::Pick<Address>{leaders.data(), first.data(), all.data()});
  exec::for_each(space, contract_label, second.size(),
                 exec::Pick<Address>{of_edges.data(), second.data(), all.data() + first.size()});
  return exec::distinct(space, contract_label, all);
}

// --- Members by cluster --------------------------------------------------------------------------

// A member's index is that of the fine vertex, or the number of fine vertices + the index of the
// arrival.
struct ClusterOf {
  const Vertex* coarse_of;
  const Traveller* arrived;
  const std::int32_t* numbers;
  std::int64_t fine, coarse;
  template <class Visit>
  KOKKOS_FUNCTION void operator()(std::int64_t member, const Visit& visit) const {
    const Vertex cluster =
        member < fine ? coarse_of[member] : numbers[arrived[member - fine].leader];
    if (cluster < coarse) visit(cluster);
  }
};

// --- Vertices ------------------------------------------------------------------------------------

struct SumMembers {
  Members members;
  const std::int64_t *weights, *arrived_weights;
  const std::int64_t* stay;  // may be null
  const Traveller* arrived;
  int constraints;
  std::int64_t *sums, *stay_sums;
  KOKKOS_FUNCTION void operator()(std::int64_t cluster) const {
    const std::int64_t fine = members.fine_count;
    for (int c = 0; c < constraints; ++c)
      sums[cluster * constraints + c] = sum(cluster, [&](std::int64_t i) {
        return i < fine ? weights[i * constraints + c]
                        : arrived_weights[(i - fine) * constraints + c];
      });
    if (stay == nullptr) return;
    stay_sums[cluster] =
        sum(cluster, [&](std::int64_t i) { return i < fine ? stay[i] : arrived[i - fine].stay; });
  }
  template <class ValueOf>
  KOKKOS_FUNCTION std::int64_t sum(std::int64_t cluster, const ValueOf& value_of) const {
    std::int64_t total = 0;
    for (std::int64_t m = members.offsets[cluster]; m < members.offsets[cluster + 1]; ++m)
      total += value_of(members.members[m]);
    return total;
  }
};

// Returns the values of the leaders in an array with room for ghosts; empty if `values` is empty.
template <class T>
exec::Array<T> of_leaders(const Space& space, const exec::Array<T>& values,
                          const exec::Array<std::int64_t>& leaders, std::int64_t local) {
  if (values.empty()) return {};
  exec::Array<T> chosen(space, contract_label, local);
  exec::for_each(space, contract_label, leaders.size(),
                 exec::Pick<T>{values.data(), leaders.data(), chosen.data()});
  return chosen;
}

// Writes the values of coarse vertices, except for their rows.
void write_vertices(const Level& fine, const Members& members, const Arrived& arrived,
                    const exec::Array<std::int64_t>& leading, Level& coarse) {
  const Space& space = fine.space;
  const std::int64_t owned = coarse.owned, local = coarse.local();
  coarse.weights = {space, contract_label, local * fine.constraints};
  if (fine.wishes.has_stay) coarse.wishes.stay = {space, contract_label, owned};
  exec::for_each(
      space, contract_label, owned,
      SumMembers{members, fine.weights.data(), arrived.weights.data(),
                 fine.wishes.has_stay ? fine.wishes.stay.data() : nullptr, arrived.members.data(),
                 fine.constraints, coarse.weights.data(), coarse.wishes.stay.data()});
  coarse.names = of_leaders(space, fine.names, leading, local);
  coarse.wishes.homes = of_leaders(space, fine.wishes.homes, leading, local);
  coarse.wishes.fixed = of_leaders(space, fine.wishes.fixed, leading, local);
  coarse.keys = of_leaders(space, fine.keys, leading, owned);
}

// Collective. `leading` has the vertices of this rank that lead themselves, in the order of their
// coarse vertices.
Contracted contract(const Communicator& communicator, const Status& status, const Level& fine,
                    const exec::Array<Address>& leaders, const exec::Array<std::int64_t>& leading) {
  const Space& space = fine.space;
  const int rank = communicator.rank();
  Arrived arrived = travel(communicator, status, fine, leaders);
  Contracted result;
  Level& coarse = result.level;
  coarse.wishes.has_homes = fine.wishes.has_homes;
  coarse.wishes.has_fixed = fine.wishes.has_fixed;
  coarse.wishes.has_stay = fine.wishes.has_stay;
  coarse.has_keys = fine.has_keys;
  exec::Array<std::int32_t> numbers;
  exec::Array<Address> elsewhere;
  Status ready = attempt(stage_name, [&] {
    numbers = {space, contract_label, fine.owned};
    coarse.owned = leading.size();
    exec::for_each(space, contract_label, leading.size(),
                   WriteNumber{leading.data(), numbers.data()});
    if (communicator.size() > 1) elsewhere = leaders_elsewhere(space, leaders, arrived, rank);
  });
  const std::int64_t owned = coarse.owned;
  coarse.ghosts = Ghosts(communicator, ready, space, std::move(elsewhere), numbers);
  ready = attempt(stage_name, [&] {
    coarse.space = space;
    coarse.constraints = fine.constraints;
    const exec::Array<Address>& ghosts = coarse.ghosts.addresses();
    const CoarseOf coarse_of{leaders.data(), numbers.data(), ghosts.data(), ghosts.size(),
                             owned,          rank,           nullptr};
    result.coarse_of = {space, contract_label, fine.local()};
    CoarseOf of_vertices = coarse_of;
    of_vertices.coarse = result.coarse_of.data();
    exec::for_each(space, contract_label, fine.local(), of_vertices);
    if (arrived.count() > 0) {
      arrived.columns = {space, contract_label, arrived.edges.size()};
      exec::for_each(space, contract_label, arrived.edges.size(),
                     CoarseOfEdge{coarse_of, arrived.edges.data(), arrived.columns.data()});
      exec::for_each(space, contract_label, arrived.count(),
                     EdgesOf{arrived.members.data(), arrived.offsets.data()});
      exec::to_offsets(arrived.offsets);
    }

    const ClusterOf cluster_of{result.coarse_of.data(), arrived.members.data(), numbers.data(),
                               fine.owned, owned};
    const auto clusters =
        by_owner<Vertex>(space, contract_label, owned, fine.owned + arrived.count(), cluster_of);
    const Members members{RowsView(fine.rows),     result.coarse_of.data(), arrived.offsets.data(),
                          arrived.columns.data(),  arrived.edges.data(),    fine.owned,
                          clusters.offsets.data(), clusters.items.data()};
    coarse.rows = merge_rows(space, members, owned,
                             {coarse.local(), fine.rows.columns.size() + arrived.edges.size()});
    write_vertices(fine, members, arrived, leading, coarse);
    space.fence(contract_label);
  });
  vote(communicator, ready);
  coarse.all_vertices = communicator.all_reduce(coarse.owned, Reduction::sum);
  coarse.ghosts.learn_addresses(space, owned);
  complete_ghosts(communicator, coarse);
  return result;
}

}  // namespace

Contracted contract(const Communicator& communicator, const Status& status, const Level& fine,
                    const exec::Array<Address>& leaders) {
  exec::Array<std::int64_t> leading;
  Status ready = status;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      leading = exec::numbers_that(fine.space, contract_label, fine.owned,
                                   LeadsItself{leaders.data(), communicator.rank()});
    });
  return contract(communicator, ready, fine, leaders, leading);
}

Contracted reordered(const Communicator& communicator, const Status& status, const Level& level,
                     const exec::Array<std::int64_t>& order) {
  exec::Array<Address> selves;
  Status ready = status;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      selves = {level.space, contract_label, level.local()};
      exec::for_each(level.space, contract_label, level.local(),
                     WriteSelf{communicator.rank(), level.owned, level.ghosts.addresses().data(),
                               selves.data()});
    });
  return contract(communicator, ready, level, selves, order);
}

}  // namespace evenkeel::graphs
