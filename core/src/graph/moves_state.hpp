#pragma once

// What the ways to improve a cut share: the state of Moves for kernels, the connections of listed
// vertices, and access to it all.

#include "graph/connections.hpp"
#include "graph/moves.hpp"

namespace evenkeel::graphs {

inline constexpr const char* moves_stage = "core/graph";
inline constexpr const char* moves_label = "evenkeel::graph::refine";

// Sums that each step adds up before they go to the host: changes of the worth, then the weights
// of parts.
inline constexpr std::int64_t cut_change = 0, stay_change = 1, first_weight = 2;

KOKKOS_INLINE_FUNCTION std::int64_t finer(EdgeUnits weight) {
  return static_cast<std::int64_t>(weight) << finer_bits;
}

struct State {
  RowsView rows;
  const std::int64_t* weights;
  const std::uint64_t* names;
  const int* homes;          // null: none
  const int* fixed;          // null: none
  const std::int64_t* stay;  // null: none
  std::int64_t owned;
  int constraints, round, step;
  int *parts, *origins, *targets, *moved_at, *marks;
  std::int64_t* gains;
  const std::int64_t* part_weights;
  const std::int64_t* lumps;  // of each part; null: there are none
  std::int64_t lump, beside_lump;

  KOKKOS_FUNCTION bool is_lump(Vertex v) const {
    return lumps != nullptr && weights[static_cast<std::int64_t>(v) * constraints] >= lump;
  }
  // Whether a part has a lump, and no room for a vertex beside it.
  KOKKOS_FUNCTION bool is_closed(int part, Vertex v) const {
    return lumps != nullptr && lumps[part] > 0 &&
           part_weights[static_cast<std::int64_t>(part) * constraints] +
                   weights[static_cast<std::int64_t>(v) * constraints] >
               beside_lump;
  }
  KOKKOS_FUNCTION std::int64_t stay_of(Vertex v, int part) const {
    return homes != nullptr && stay != nullptr && homes[v] == part ? stay[v] : 0;
  }
  KOKKOS_FUNCTION bool is_fixed(Vertex v) const { return fixed != nullptr && fixed[v] >= 0; }
};

inline State state_of(const Moves& moves) {
  const Level& level = *moves.level;
  return {RowsView(level.rows),
          level.weights.data(),
          level.names.data(),
          !level.has_homes ? nullptr : level.homes.data(),
          !level.has_fixed ? nullptr : level.fixed.data(),
          !level.has_stay ? nullptr : level.stay.data(),
          level.owned,
          level.constraints,
          moves.round,
          moves.step,
          moves.parts.data(),
          moves.origins.data(),
          moves.targets.data(),
          moves.moved_at.data(),
          moves.marks.data(),
          moves.gains.data(),
          moves.weights_there.data(),
          moves.lumps.empty() ? nullptr : moves.lumps_there.data(),
          moves.goal.lump,
          moves.goal.beside_lump};
}

// What lists a vertex is on.
inline constexpr int on_border = 1, is_active = 2, is_reconsidered = 4;

template <class Instance>
KOKKOS_INLINE_FUNCTION bool sets_mark(int* marks, int mark) {
  if ((*marks & mark) != 0) return false;
  if constexpr (has_one_thread<Instance>) {
    *marks |= mark;
    return true;
  } else {
    return (Kokkos::atomic_fetch_or(marks, mark) & mark) == 0;
  }
}
template <class Instance>
KOKKOS_INLINE_FUNCTION void clears_mark(int* marks, int mark) {
  if constexpr (has_one_thread<Instance>)
    *marks &= ~mark;
  else
    Kokkos::atomic_fetch_and(marks, ~mark);
}

template <class T>
struct Copy {
  const T* from;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

// --- Connections of listed vertices --------------------------------------------------------------

template <class Connections>
KOKKOS_INLINE_FUNCTION void connect(const State& state, Vertex v, Connections& connections) {
  for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e)
    connections.add(state.parts[state.rows.columns[e]], state.rows.weights[e]);
}

template <class Instance, class Body>
struct WithFew {
  State state;
  Body body;
  const Vertex* list;
  Appender<Instance> crowded;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = list[i];
    if (!body.wants(v)) return;
    FewConnections connections;
    connect(state, v, connections);
    if (connections.is_complete)
      body(v, connections);
    else
      crowded(v);
  }
};

template <class Body>
struct WithMany {
  State state;
  Body body;
  const Vertex* list;
  std::int64_t count, workers, parts;
  int* worker_parts;
  std::int64_t* worker_weights;
  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    ManyConnections connections{worker_parts + worker * parts, worker_weights + worker * parts};
    for (std::int64_t i = worker; i < count; i += workers) {
      connect(state, list[i], connections);
      body(list[i], connections);
      connections.clear();
    }
  }
};

// Calls body(vertex, connections) for each listed vertex that the body wants.
template <class Instance, class Body>
void for_listed(const Instance& instance, Moves& moves, const VertexList& list, const Body& body) {
  const State now = state_of(moves);
  moves.crowded.clear();
  exec::for_each(
      instance, moves_label, list.size(),
      WithFew<Instance, Body>{now, body, list.data(), moves.crowded.appender<Instance>()});
  moves.crowded.count_up();
  if (moves.crowded.empty()) return;
  const std::int64_t workers = moves.worker_weights.size() / moves.goal.parts;
  exec::for_each(
      instance, moves_label, workers,
      WithMany<Body>{now, body, moves.crowded.data(), moves.crowded.size(), workers,
                     moves.goal.parts, moves.worker_parts.data(), moves.worker_weights.data()});
}

}  // namespace evenkeel::graphs
