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
  // By the first constraint.
  KOKKOS_FUNCTION std::int64_t weight_of(int part) const {
    return part_weights[static_cast<std::int64_t>(part) * constraints];
  }
  // Whether a part has a lump, and no room for a vertex beside it.
  KOKKOS_FUNCTION bool is_closed(int part, Vertex v) const {
    return lumps != nullptr && lumps[part] > 0 &&
           weight_of(part) + weights[static_cast<std::int64_t>(v) * constraints] > beside_lump;
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

// What connects a vertex: edges, by a State, or whatever else has a connect().
template <class Source, class Instance, class Body>
struct WithFew {
  Source source;
  Body body;
  const Vertex* list;
  Appender<Instance> crowded;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = list[i];
    if (!body.wants(v)) return;
    FewConnections connections;
    connect(source, v, connections);
    if (connections.is_complete)
      body(v, connections);
    else
      crowded(v);
  }
};

template <class Source, class Body>
struct WithMany {
  Source source;
  Body body;
  const Vertex* list;
  std::int64_t count, workers, parts;
  int* worker_parts;
  std::int64_t* worker_weights;
  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    ManyConnections connections{worker_parts + worker * parts, worker_weights + worker * parts};
    for (std::int64_t i = worker; i < count; i += workers) {
      connect(source, list[i], connections);
      body(list[i], connections);
      connections.clear();
    }
  }
};

// Calls body(vertex, connections) for each listed vertex that the body wants.
template <class Instance, class Source, class Body>
void for_listed(const Instance& instance, Moves& moves, const Source& source,
                const VertexList& list, const Body& body) {
  moves.crowded.clear();
  exec::for_each(instance, moves_label, list.size(),
                 WithFew<Source, Instance, Body>{source, body, list.data(),
                                                 moves.crowded.appender<Instance>()});
  moves.crowded.count_up();
  if (moves.crowded.empty()) return;
  const std::int64_t workers = moves.worker_weights.size() / moves.goal.parts;
  exec::for_each(instance, moves_label, workers,
                 WithMany<Source, Body>{source, body, moves.crowded.data(), moves.crowded.size(),
                                        workers, moves.goal.parts, moves.worker_parts.data(),
                                        moves.worker_weights.data()});
}
template <class Instance, class Body>
void for_listed(const Instance& instance, Moves& moves, const VertexList& list, const Body& body) {
  for_listed(instance, moves, state_of(moves), list, body);
}

// --- Jet's rules ---------------------------------------------------------------------------------

// Where a vertex would go, and what it would gain there; nowhere: it stays.
struct Wish {
  int part = nowhere;
  std::int64_t gain = 0;
};
template <class Connections>
KOKKOS_INLINE_FUNCTION Wish wish_of(const State& state, Vertex v, const Connections& all,
                                    double tolerated_loss) {
  const int own_part = state.parts[v];
  std::int64_t own = state.stay_of(v, own_part), best = -1;
  int best_part = nowhere;
  for (int i = 0; i < all.size(); ++i) {
    const int part = all.part(i);
    if (part == own_part) {
      own += all.weight(i) << finer_bits;
      continue;
    }
    const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
    if (weight < best) continue;
    if (weight == best) {  // to the lighter one
      const std::int64_t its = state.weight_of(part), other = state.weight_of(best_part);
      if (its != other ? its > other : part > best_part) continue;
    }
    if (state.is_closed(part, v)) continue;
    best = weight;
    best_part = part;
  }
  const std::int64_t gain = best - own;
  if (best_part == nowhere ||
      (gain < 0 && static_cast<double>(-gain) >= tolerated_loss * static_cast<double>(own)))
    return {};
  return {best_part, gain};
}

// Whether a part is too light to lose anything.
KOKKOS_INLINE_FUNCTION bool is_light(const State& state, int part, const std::int64_t* floors) {
  for (int c = 0; c < state.constraints; ++c)
    if (state.part_weights[static_cast<std::int64_t>(part) * state.constraints + c] < floors[c])
      return true;
  return false;
}

}  // namespace evenkeel::graphs
