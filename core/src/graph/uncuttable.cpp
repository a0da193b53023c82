// Each vertex takes over the least name among its own and those of its neighbours along uncuttable
// edges, and the address and the part that come with it, until nothing changes on any rank. On a
// rank, names spread by pointers to vertices with lesser names, so that long chains take few steps.

#include "graph/uncuttable.hpp"

#include "graph/atomics.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <string>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::uncuttable";

// Pointers between vertices of this rank lead to a root with the least index.
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

struct LeastNames {
  const Vertex* roots;
  const std::uint64_t* names;
  std::uint64_t* least;  // at roots
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    Kokkos::atomic_fetch_min(&least[roots[v]], names[v]);
  }
};
struct GreatestFixed {
  const Vertex* roots;
  const int* fixed;
  int *greatest, *least;  // at roots; least of those that are fixed
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (fixed[v] < 0) return;
    Kokkos::atomic_fetch_max(&greatest[roots[v]], fixed[v]);
    Kokkos::atomic_fetch_min(&least[roots[v]], fixed[v]);
  }
};

template <class T>
struct TakeFromRoot {
  const Vertex* roots;
  T* values;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { values[v] = values[roots[v]]; }
};

// Lets roots know what ghosts have. The edge may be marked on either side: ghosts' rows back are
// used with the mark of this side, and the other rank does the same with its own.
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
      const T before =
          takes_least ? Kokkos::atomic_fetch_min(mine, its) : Kokkos::atomic_fetch_max(mine, its);
      if (before != its) *changes = 1;
    }
  }
};

// An address and the name that it belongs to.
struct WriteOwnAddress {
  const std::uint64_t *names, *leaders;
  int rank;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    addresses[v] = names[v] == leaders[v] ? address_of(rank, static_cast<Vertex>(v)) + 1 : 0;
  }
};
// The one that is not 0 among the vertices of a root.
struct GatherToRoot {
  const Vertex* roots;
  const Address* own;
  Address* at_roots;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (own[v] != 0) Kokkos::atomic_fetch_max(&at_roots[roots[v]], own[v]);
  }
};
struct Differ {
  const int *greatest, *least;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    return greatest[v] >= 0 && greatest[v] != least[v];
  }
};
struct LessOne {
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { --addresses[v]; }
};

}  // namespace

exec::Array<Address> uncuttable_leaders(const Communicator& communicator, Level& level,
                                        const exec::Array<int>& is_uncuttable) {
  const Space& space = level.space;
  const std::int64_t owned = level.owned, local = level.local();
  const RowsView rows(level.rows);
  exec::Array<Vertex> roots;
  exec::Array<std::uint64_t> least;
  exec::Array<Address> addresses;
  exec::Array<int> changes, greatest_fixed, least_fixed;
  const bool has_fixed = level.has_fixed;
  const auto fill = [&]<class T>(const exec::Array<T>& values, T value) {
    exec::for_each(space, label, values.size(), exec::detail::Fill<T>{values.data(), value});
  };
  constexpr int no_least = 0x7FFFFFFF;

  Status ready = attempt(stage_name, [&] {
    roots = exec::counted_up<Vertex>(space, label, owned);
    changes = exec::filled<int>(space, label, 1, 1);
    while (changes.on_host()[0] != 0) {
      fill(changes, 0);
      exec::for_each(space, label, owned,
                     Hook{rows, is_uncuttable.data(), owned, roots.data(), changes.data()});
      exec::for_each(space, label, owned, Jump{roots.data()});
    }
    least = {space, label, local};
    addresses = {space, label, local};
    fill(least, ~std::uint64_t{0});
    exec::for_each(space, label, owned, LeastNames{roots.data(), level.names.data(), least.data()});
    if (has_fixed) {
      greatest_fixed = exec::filled<int>(space, label, local, nowhere);
      least_fixed = exec::filled<int>(space, label, local, no_least);
      exec::for_each(space, label, owned,
                     GreatestFixed{roots.data(), level.fixed.data(), greatest_fixed.data(),
                                   least_fixed.data()});
    }
  });
  vote(communicator, ready);

  // Collective. Values of roots spread until all ranks agree.
  const auto spread = [&]<bool takes_least, class T>(const exec::Array<T>& values) {
    for (std::int64_t changed = 1; changed != 0;) {
      exec::for_each(space, label, owned, TakeFromRoot<T>{roots.data(), values.data()});
      level.ghosts.refresh(values);
      const Status done = attempt(stage_name, [&] {
        fill(changes, 0);
        exec::for_each(space, label, owned,
                       TakeFromGhosts<T, takes_least>{rows, is_uncuttable.data(), owned,
                                                      roots.data(), values.data(), changes.data()});
        changed = changes.on_host()[0];
      });
      vote(communicator, done);
      changed = communicator.all_reduce(changed, Reduction::greatest);
    }
  };
  spread.template operator()<true>(least);
  ready = attempt(stage_name, [&] {
    // The address of the leader reaches its root, and then all.
    const exec::Array<Address> own(space, label, owned);
    exec::for_each(
        space, label, owned,
        WriteOwnAddress{level.names.data(), least.data(), communicator.rank(), own.data()});
    fill(addresses, Address{0});
    exec::for_each(space, label, owned, GatherToRoot{roots.data(), own.data(), addresses.data()});
    space.fence(label);
  });
  vote(communicator, ready);
  spread.template operator()<false>(addresses);
  exec::for_each(space, label, local, LessOne{addresses.data()});
  if (has_fixed) {
    spread.template operator()<false>(greatest_fixed);
    spread.template operator()<true>(least_fixed);
    std::int64_t conflict = owned;
    ready = attempt(stage_name, [&] {
      conflict = exec::first_that(space, owned, Differ{greatest_fixed.data(), least_fixed.data()});
      if (conflict < owned)
        throw Error(ErrorKind::bad_input, Where{stage_name},
                    "Uncuttable edges connect vertex " + std::to_string(conflict) +
                        " of this rank to vertices that are fixed in different parts.",
                    "Fix vertices that must stay together in one part.");
    });
    vote(communicator, ready);
    level.fixed = std::move(greatest_fixed);
    level.ghosts.refresh(level.fixed);
  }
  space.fence(label);
  return addresses;
}

}  // namespace evenkeel::graphs
