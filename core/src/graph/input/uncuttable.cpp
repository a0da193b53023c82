// All vertices of a cluster take the least name in the cluster. Names spread along uncuttable edges
// until they change on no rank. Within a rank, each vertex points to the root of its cluster, and
// names spread through the roots, so long chains take few steps. Then the address of the vertex
// with this name and the fixed part of the cluster spread in the same way.

#include "graph/input/steps.hpp"
#include "graph/stage.hpp"

#include "graph/levels/atomics.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <string>

namespace evenkeel::graphs {

namespace {

constexpr const char* uncuttable_label = "evenkeel::graph::uncuttable";

// If an uncuttable edge connects two clusters of this rank, makes the root with the higher index
// point to the other root.
struct Hook {
  RowsView rows;
  const int* is_uncuttable;
  std::int64_t owned;
  Vertex* roots;
  int* changes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      const Vertex u = rows.columns[e];
      if (is_uncuttable[e] == 0 || u >= owned) continue;
      const Vertex a = roots[v], b = roots[u];
      if (a == b) continue;
      const Vertex low = a < b ? a : b, high = a < b ? b : a;
      Kokkos::atomic_fetch_min(&roots[high], low);
      *changes = 1;
    }
  }
};
struct Jump {
  Vertex* roots;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    Vertex root = roots[v];
    while (roots[root] != root) root = roots[root];
    roots[v] = root;
  }
};

// Keeps the lesser, or the greater, of two values in `into`. Returns the previous value.
template <bool takes_least, class T>
KOKKOS_INLINE_FUNCTION T take(T* into, T value) {
  return takes_least ? Kokkos::atomic_fetch_min(into, value)
                     : Kokkos::atomic_fetch_max(into, value);
}

// Each root gets the least or the greatest value of its vertices.
template <bool takes_least, class T>
struct TakeToRoots {
  const Vertex* roots;
  const T* values;
  T none;  // marks a vertex that has no value
  T* at_roots;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (values[v] != none) take<takes_least>(&at_roots[roots[v]], values[v]);
  }
};

template <class T>
struct TakeFromRoot {
  const Vertex* roots;
  T* values;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { values[v] = values[roots[v]]; }
};

// Brings the values of ghosts along uncuttable edges to the roots of their neighbours. The ranks
// that own these ghosts do the same for the other direction of the edges.
template <class T, bool takes_least>
struct TakeFromGhosts {
  RowsView rows;
  const int* is_uncuttable;
  std::int64_t owned;
  const Vertex* roots;
  T* values;
  int* changes;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      const Vertex u = rows.columns[e];
      if (is_uncuttable[e] == 0 || u < owned) continue;
      T* const mine = &values[roots[v]];
      const T its = values[u];
      if (takes_least ? its >= *mine : its <= *mine) continue;
      if (take<takes_least>(mine, its) != its) *changes = 1;
    }
  }
};

// Writes the address of each leader plus 1, and 0 for each vertex that is not a leader.
struct WriteOwnAddress {
  const std::uint64_t *names, *leaders;
  int rank;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    addresses[v] = names[v] == leaders[v] ? address_of(rank, static_cast<Vertex>(v)) + 1 : 0;
  }
};
struct PartsDiffer {
  const int *greatest, *least;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    return greatest[v] >= 0 && greatest[v] != least[v];
  }
};
struct LessOne {
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { --addresses[v]; }
};

template <class T>
void fill(const Space& space, const exec::Array<T>& values, T value) {
  exec::for_each(space, uncuttable_label, values.size(), exec::Fill<T>{values.data(), value});
}

// The clusters on a rank, each with one vertex as its root. Values spread within and between ranks.
class Clusters {
 public:
  // Collective. Refers to its arguments.
  Clusters(const Communicator& communicator, const Level& level,
           const exec::Array<int>& is_uncuttable)
      : communicator_(communicator), level_(level), is_uncuttable_(is_uncuttable) {
    vote(communicator_, attempt(stage_name, [&] { connect(); }));
  }

  // Collective. Runs `begin` to set values at roots, then spreads the least or the greatest value
  // of each cluster, over all ranks. Returns the values of vertices and ghosts.
  template <bool takes_least, class T, class Begin>
  exec::Array<T> spread(T none, const Begin& begin) {
    exec::Array<T> values;
    vote(communicator_, attempt(stage_name, [&] {
           values = exec::filled<T>(space(), uncuttable_label, level_.local(), none);
           begin(values);
           space().fence(uncuttable_label);
         }));
    for (std::int64_t changed = 1; changed != 0;) {
      exec::for_each(space(), uncuttable_label, level_.owned,
                     TakeFromRoot<T>{roots_.data(), values.data()});
      level_.ghosts.refresh(values);
      vote(communicator_, attempt(stage_name, [&] {
             fill(space(), changes_, 0);
             exec::for_each(space(), uncuttable_label, level_.owned,
                            TakeFromGhosts<T, takes_least>{
                                RowsView(level_.rows), is_uncuttable_.data(), level_.owned,
                                roots_.data(), values.data(), changes_.data()});
             changed = changes_.on_host()[0];
           }));
      changed = communicator_.all_reduce(changed, Reduction::greatest);
    }
    return values;
  }

  const Vertex* roots() const { return roots_.data(); }

 private:
  const Space& space() const { return level_.space; }

  void connect() {
    roots_ = exec::counted_up<Vertex>(space(), uncuttable_label, level_.owned);
    changes_ = exec::filled<int>(space(), uncuttable_label, 1, 1);
    while (changes_.on_host()[0] != 0) {
      fill(space(), changes_, 0);
      exec::for_each(space(), uncuttable_label, level_.owned,
                     Hook{RowsView(level_.rows), is_uncuttable_.data(), level_.owned, roots_.data(),
                          changes_.data()});
      exec::for_each(space(), uncuttable_label, level_.owned, Jump{roots_.data()});
    }
  }

  const Communicator& communicator_;
  const Level& level_;
  const exec::Array<int>& is_uncuttable_;
  exec::Array<Vertex> roots_;
  exec::Array<int> changes_;
};

// Collective. If a vertex of a cluster is fixed, fixes all vertices of the cluster in the same
// part.
void fix_clusters(const Communicator& communicator, Clusters& clusters, Level& level) {
  constexpr int no_least = 0x7FFFFFFF;
  const Space& space = level.space;
  const auto spread = [&]<bool takes_least>(int none) {
    return clusters.spread<takes_least>(none, [&](const exec::Array<int>& parts) {
      exec::for_each(space, uncuttable_label, level.owned,
                     TakeToRoots<takes_least, int>{clusters.roots(), level.wishes.fixed.data(),
                                                   nowhere, parts.data()});
    });
  };
  exec::Array<int> greatest = spread.operator()<false>(nowhere);
  const exec::Array<int> least = spread.operator()<true>(no_least);
  vote(communicator, attempt(stage_name, [&] {
         const std::int64_t conflict =
             exec::first_that(space, level.owned, PartsDiffer{greatest.data(), least.data()});
         if (conflict < level.owned)
           refuse("Uncuttable edges connect vertex " + std::to_string(conflict) +
                      " of this rank to vertices that are fixed in different parts.",
                  "Fix vertices that must stay together in one part.");
       }));
  level.wishes.fixed = std::move(greatest);
  level.ghosts.refresh(level.wishes.fixed);
}

}  // namespace

exec::Array<Address> uncuttable_leaders(const Communicator& communicator, Level& level,
                                        const exec::Array<int>& is_uncuttable) {
  const Space& space = level.space;
  const std::int64_t owned = level.owned;
  Clusters clusters(communicator, level, is_uncuttable);
  const exec::Array<std::uint64_t> least =
      clusters.spread<true>(~std::uint64_t{0}, [&](const exec::Array<std::uint64_t>& names) {
        exec::for_each(space, uncuttable_label, owned,
                       TakeToRoots<true, std::uint64_t>{clusters.roots(), level.names.data(),
                                                        ~std::uint64_t{0}, names.data()});
      });
  // The address of the leader goes to the leader's root, and from there to the whole cluster.
  exec::Array<Address> addresses =
      clusters.spread<false>(Address{0}, [&](const exec::Array<Address>& at_roots) {
        const exec::Array<Address> own(space, uncuttable_label, owned);
        exec::for_each(
            space, uncuttable_label, owned,
            WriteOwnAddress{level.names.data(), least.data(), communicator.rank(), own.data()});
        exec::for_each(
            space, uncuttable_label, owned,
            TakeToRoots<false, Address>{clusters.roots(), own.data(), 0, at_roots.data()});
        space.fence(uncuttable_label);  // before the memory of `own` is freed
      });
  exec::for_each(space, uncuttable_label, level.local(), LessOne{addresses.data()});
  if (level.wishes.has_fixed) fix_clusters(communicator, clusters, level);
  space.fence(uncuttable_label);
  return addresses;
}

}  // namespace evenkeel::graphs
