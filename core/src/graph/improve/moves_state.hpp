#pragma once

// For the kernels of all ways to improve a cut: the state of Moves, and the strength of the
// connections of listed vertices to the parts of their neighbours.

#include "graph/improve/moves.hpp"

#include <evenkeel/backends/exec/bodies.hpp>

#include <algorithm>

namespace evenkeel::graphs {

inline constexpr const char* moves_stage = "core/graph";
inline constexpr const char* moves_label = "evenkeel::graph::refine";

// Indices of the sums of a step, which kernels add up before the sums go to the host. First come
// changes of the worth, then the weights of parts.
inline constexpr std::int64_t cut_change = 0, stay_change = 1, first_weight = 2;

KOKKOS_INLINE_FUNCTION std::int64_t finer(EdgeUnits weight) {
  return static_cast<std::int64_t>(weight) << finer_bits;
}

// Bits that mark the lists that a vertex is on.
inline constexpr int on_border = 1, is_active = 2, is_reconsidered = 4;

// Random bits of a vertex in a step, the same on any number of ranks.
KOKKOS_INLINE_FUNCTION std::uint64_t drawn(std::uint64_t name, int step) {
  const std::uint64_t bits =
      (name + static_cast<std::uint64_t>(step) * 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
  return (bits ^ (bits >> 29U)) * 0x94D049BB133111EBU;
}
// A vertex may enter a part if its lot is at most the admission of the part, which is the share of
// such vertices in units of 1 / all_admitted.
KOKKOS_INLINE_FUNCTION std::uint32_t lot_of(std::uint64_t name, int step) {
  return static_cast<std::uint32_t>(drawn(name, step) >> 24U);
}
inline constexpr std::uint32_t all_admitted = 0xFFFFFFFFU;
inline std::uint32_t admission_of(double share) {
  return static_cast<std::uint32_t>(std::clamp(share, 0.0, 1.0) * all_admitted);
}

// A level, its moves and its parts, for kernels.
struct LevelView {
  RowsView rows;
  const std::int64_t* weights;
  const std::uint64_t* names;
  const int* homes;          // may be null
  const int* fixed;          // may be null
  const std::int64_t* stay;  // may be null
  std::int64_t owned;
  int constraints;
};
struct MovesView {
  int round, step;
  int *parts, *origins, *targets, *moved_at, *marks, *favourites;
  std::int64_t *gains, *losses;
};
struct PartsView {
  const std::int64_t *part_weights, *limits, *floors;
  const std::uint32_t* admissions;
  const std::int64_t* lumps;  // number of lumps in each part; null if there are no lumps
  std::int64_t lump, beside_lump;
};

struct MovesState : LevelView, MovesView, PartsView {
  KOKKOS_FUNCTION std::int64_t weight(Vertex v, int constraint = 0) const {
    return weights[static_cast<std::int64_t>(v) * constraints + constraint];
  }
  KOKKOS_FUNCTION std::int64_t weight_of(int part, int constraint = 0) const {
    return part_weights[static_cast<std::int64_t>(part) * constraints + constraint];
  }
  KOKKOS_FUNCTION std::int64_t limit_of(int part, int constraint) const {
    return limits[static_cast<std::int64_t>(part) * constraints + constraint];
  }
  KOKKOS_FUNCTION std::int64_t floor_of(int part, int constraint) const {
    return floors[static_cast<std::int64_t>(part) * constraints + constraint];
  }
  KOKKOS_FUNCTION bool is_lump(Vertex v) const { return lumps != nullptr && weight(v) >= lump; }
  // Returns true if a part has a lump, and vertex v does not fit into the part together with the
  // lump.
  KOKKOS_FUNCTION bool is_closed(int part, Vertex v) const {
    return lumps != nullptr && lumps[part] > 0 && weight_of(part) + weight(v) > beside_lump;
  }
  KOKKOS_FUNCTION bool admits(int part, Vertex v) const {
    return lot_of(names[v], step) <= admissions[part];
  }
  KOKKOS_FUNCTION std::int64_t stay_of(Vertex v, int part) const {
    return homes != nullptr && stay != nullptr && homes[v] == part ? stay[v] : 0;
  }
  // Returns true if the favourite of vertex v is up to date.
  KOKKOS_FUNCTION bool knows_favourite(Vertex v) const {
    return (marks[v] & is_active) == 0 && favourites[v] != nowhere;
  }
  KOKKOS_FUNCTION bool is_fixed(Vertex v) const { return fixed != nullptr && fixed[v] >= 0; }
};

inline MovesState state_of(const Moves& moves) {
  const Level& level = *moves.level;
  const Wishes& wishes = level.wishes;
  const VertexMoves& vertices = moves.vertices;
  return {{RowsView(level.rows), level.weights.data(), level.names.data(),
           wishes.has_homes ? wishes.homes.data() : nullptr,
           wishes.has_fixed ? wishes.fixed.data() : nullptr,
           wishes.has_stay ? wishes.stay.data() : nullptr, level.owned, level.constraints},
          {moves.round, moves.step, vertices.parts.data(), vertices.origins.data(),
           vertices.targets.data(), vertices.moved_at.data(), vertices.marks.data(),
           vertices.favourites.data(), vertices.gains.data(), vertices.losses.data()},
          {moves.loads.weights_there.data(), moves.loads.limits_there.data(),
           moves.loads.floors_there.data(), moves.loads.admissions_there.data(),
           moves.loads.lumps.empty() ? nullptr : moves.loads.lumps_there.data(), moves.goal.lump,
           moves.goal.beside_lump}};
}

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

// --- Connections of listed vertices --------------------------------------------------------------

// Connections of a vertex to at most 16 parts; most vertices have no more.
struct FewConnections {
  static constexpr int most = 16;
  int parts[most];
  std::int64_t weights[most];
  int count = 0;
  bool is_complete = true;  // false if the vertex is connected to more parts

  KOKKOS_FUNCTION void add(int part, std::int64_t weight) {
    for (int i = 0; i < count; ++i)
      if (parts[i] == part) {
        weights[i] += weight;
        return;
      }
    if (count == most) {
      is_complete = false;
      return;
    }
    parts[count] = part;
    weights[count++] = weight;
  }
  KOKKOS_FUNCTION int size() const { return count; }
  KOKKOS_FUNCTION int part(int i) const { return parts[i]; }
  KOKKOS_FUNCTION std::int64_t weight(int i) const { return weights[i]; }
};

// Connections of a vertex to any number of parts. Its memory has an entry for each part of the
// goal; all entries must be 0 before the first add(), and clear() makes them 0 again.
struct ManyConnections {
  int* parts;
  std::int64_t* of_part;  // one entry for each part of the goal
  int count = 0;

  KOKKOS_FUNCTION void add(int part, std::int64_t weight) {
    if (of_part[part] == 0) parts[count++] = part;
    of_part[part] += weight;
  }
  KOKKOS_FUNCTION int size() const { return count; }
  KOKKOS_FUNCTION int part(int i) const { return parts[i]; }
  KOKKOS_FUNCTION std::int64_t weight(int i) const { return of_part[parts[i]]; }
  KOKKOS_FUNCTION void clear() {
    for (int i = 0; i < count; ++i) of_part[parts[i]] = 0;
    count = 0;
  }
};

template <class Connections>
KOKKOS_INLINE_FUNCTION void connect(const MovesState& state, Vertex v, Connections& connections) {
  for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e)
    connections.add(state.parts[state.rows.columns[e]], state.rows.weights[e]);
}

// `Source` gives a vertex's connections: a MovesState, for connections by edges, or another type
// that has a connect().
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

// Calls body(vertex, connections) for each listed vertex v for which body.wants(v) is true.
template <class Instance, class Source, class Body>
void for_listed(const Instance& instance, Moves& moves, const Source& source,
                const VertexList& list, const Body& body) {
  moves.room.crowded.clear();
  exec::for_each(instance, moves_label, list.size(),
                 WithFew<Source, Instance, Body>{source, body, list.data(),
                                                 moves.room.crowded.appender<Instance>()});
  moves.room.crowded.count_up();
  if (moves.room.crowded.empty()) return;
  const std::int64_t workers = moves.room.worker_weights.size() / moves.goal.parts;
  exec::for_each(
      instance, moves_label, workers,
      WithMany<Source, Body>{source, body, moves.room.crowded.data(), moves.room.crowded.size(),
                             workers, moves.goal.parts, moves.room.worker_parts.data(),
                             moves.room.worker_weights.data()});
}
template <class Instance, class Body>
void for_listed(const Instance& instance, Moves& moves, const VertexList& list, const Body& body) {
  for_listed(instance, moves, state_of(moves), list, body);
}

// The other part to which a vertex has the strongest connection, among the parts that accept it.
// Ties go to the lower part. Weights are in finer units, and include the worth of being at home.
struct BestPart {
  int part = nowhere;
  std::int64_t weight = -1, own_weight = 0;
};
template <class Connections, class Accepts>
KOKKOS_INLINE_FUNCTION BestPart best_part_of(const MovesState& state, Vertex v,
                                             const Connections& all, const Accepts& accepts) {
  const int own_part = state.parts[v];
  BestPart best{nowhere, -1, state.stay_of(v, own_part)};
  for (int i = 0; i < all.size(); ++i) {
    const int part = all.part(i);
    if (part == own_part) {
      best.own_weight += all.weight(i) << finer_bits;
      continue;
    }
    if (!accepts(part)) continue;
    const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
    if (weight < best.weight || (weight == best.weight && part > best.part)) continue;
    best.part = part;
    best.weight = weight;
  }
  return best;
}

// --- Jet's rules ---------------------------------------------------------------------------------

// The part to which a vertex would go, and its gain there. If the vertex stays, the part is
// nowhere.
struct Wish {
  int part = nowhere;
  std::int64_t gain = 0;
};
// The part to which a vertex has the strongest connection beside its own, and its gain there, which
// may be negative.
struct Favourite {
  int part = nowhere;
  std::int64_t gain = 0, own_weight = 0;
};
template <class Connections>
KOKKOS_INLINE_FUNCTION Favourite favourite_of(const MovesState& state, Vertex v,
                                              const Connections& all) {
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
    if (weight == best) {  // the lighter part wins
      const std::int64_t its = state.weight_of(part), other = state.weight_of(best_part);
      if (its != other ? its > other : part > best_part) continue;
    }
    if (state.is_closed(part, v)) continue;
    best = weight;
    best_part = part;
  }
  return {best_part, best - own, own};
}
KOKKOS_INLINE_FUNCTION Wish wish_for(const Favourite& favourite, double tolerated_loss) {
  const auto [part, gain, own_weight] = favourite;
  if (part == nowhere ||
      (gain < 0 && static_cast<double>(-gain) >= tolerated_loss * static_cast<double>(own_weight)))
    return {};
  return {part, gain};
}
template <class Connections>
KOKKOS_INLINE_FUNCTION Wish wish_of(const MovesState& state, Vertex v, const Connections& all,
                                    double tolerated_loss) {
  return wish_for(favourite_of(state, v, all), tolerated_loss);
}

// Returns true if a part is too light to lose a vertex.
KOKKOS_INLINE_FUNCTION bool is_light(const MovesState& state, int part) {
  for (int c = 0; c < state.constraints; ++c)
    if (state.weight_of(part, c) < state.floor_of(part, c)) return true;
  return false;
}

}  // namespace evenkeel::graphs
