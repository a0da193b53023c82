// Jet (Gilbert, Madduri, Boman and Rajamanickam, 2023). How ties are settled does not depend on
// ranks and threads, and a round examines only vertices whose neighbourhood has changed.

#include "graph/improve/moves_state.hpp"
#include "graph/improve/ways.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>

namespace evenkeel::graphs {

namespace {

constexpr const char* jet_label = "evenkeel::graph::jet";

// Chooses the target of a vertex. The choice can change only after the vertex or a neighbour has
// moved.
template <class Instance>
struct Choose {
  MovesState state;
  double tolerated_loss;
  Appender<Instance> active_next, reconsidered;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    clears_mark<Instance>(&state.marks[v], is_active);
    if (state.is_lump(v)) {  // no part may get a second lump
      state.favourites[v] = nowhere;
      settle(v, nowhere, 0);
      return false;
    }
    if (state.moved_at[v] != state.round - 1) return true;
    // The vertex moved in the last round, so it is locked for one round.
    if (sets_mark<Instance>(&state.marks[v], is_active)) active_next(v);
    settle(v, nowhere, 0);
    return false;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const Favourite favourite = favourite_of(state, v, all);
    state.favourites[v] = favourite.part;
    state.losses[v] = -favourite.gain;
    const Wish wish = wish_for(favourite, tolerated_loss);
    settle(v, wish.part, wish.gain);
  }
  // If the choice of this vertex has changed, neighbours whose choice depends on it are
  // reconsidered.
  KOKKOS_FUNCTION void settle(Vertex v, int target, std::int64_t gain) const {
    if (state.targets[v] == target && (target == nowhere || state.gains[v] == gain)) {
      if (target != nowhere) reconsider(v);
      return;
    }
    state.targets[v] = target;
    state.gains[v] = gain;
    if (target != nowhere) reconsider(v);
    for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e)
      if (state.rows.columns[e] < state.owned) reconsider(state.rows.columns[e]);
  }
  KOKKOS_FUNCTION void reconsider(Vertex u) const {
    if ((state.marks[u] & on_border) != 0 && sets_mark<Instance>(&state.marks[u], is_reconsidered))
      reconsidered(u);
  }
};

// Reconsiders the neighbours of each ghost whose choice has changed.
template <class Instance>
struct FollowGhosts {
  Choose<Instance> choice;
  const std::int64_t* back_offsets;
  const Vertex* back_columns;
  const int* targets_before;
  const std::int64_t* gains_before;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const std::int64_t ghost = choice.state.owned + g;
    const int target = choice.state.targets[ghost];
    if (target == targets_before[g] &&
        (target == nowhere || choice.state.gains[ghost] == gains_before[g]))
      return;
    for (std::int64_t e = back_offsets[g]; e < back_offsets[g + 1]; ++e)
      choice.reconsider(back_columns[e]);
  }
};

// Computes the gain of each move under the assumption that all neighbours with a higher gain move,
// too. Keeps the moves that then lose nothing.
template <class Instance>
struct Afterburner {
  MovesState state;
  const Vertex* reconsidered;
  Appender<Instance> movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = reconsidered[i];
    clears_mark<Instance>(&state.marks[v], is_reconsidered);
    const int from = state.parts[v], to = state.targets[v];
    if (to == nowhere || is_light(state, from) || !state.admits(to, v)) return;
    const std::int64_t gain_of_v = state.gains[v];
    std::int64_t gain = state.stay_of(v, to) - state.stay_of(v, from);
    for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e) {
      const Vertex u = state.rows.columns[e];
      int part = state.parts[u];
      if (state.targets[u] != nowhere &&
          (state.gains[u] > gain_of_v ||
           (state.gains[u] == gain_of_v && state.names[u] < state.names[v])))
        part = state.targets[u];
      if (part == to) gain += finer(state.rows.weights[e]);
      if (part == from) gain -= finer(state.rows.weights[e]);
    }
    if (gain >= 0) movers(v);
  }
};

template <class Instance>
Choose<Instance> choice_of(Moves& moves, double tolerated_loss) {
  return {state_of(moves), tolerated_loss, moves.room.active_next.appender<Instance>(),
          moves.lists.candidates.appender<Instance>()};
}

template <class Instance>
void choose(const Instance& instance, Moves& moves, double tolerated_loss) {
  const std::int64_t ghosts = moves.level->ghost_count(), owned = moves.level->owned;
  exec::for_each(
      instance, jet_label, ghosts,
      exec::Copy{moves.vertices.targets.data() + owned, moves.room.ghost_targets.data()});
  exec::for_each(instance, jet_label, ghosts,
                 exec::Copy{moves.vertices.gains.data() + owned, moves.room.ghost_gains.data()});
  moves.room.active_next.clear();
  moves.lists.candidates.clear();
  moves.lists.active.put_in_order(instance, moves.vertices.marks.data(), is_active, owned);
  for_listed(instance, moves, moves.lists.active, choice_of<Instance>(moves, tolerated_loss));
}

template <class Instance>
void burn(const Instance& instance, Moves& moves) {
  const Level& level = *moves.level;
  exec::for_each(instance, jet_label, level.ghost_count(),
                 FollowGhosts<Instance>{choice_of<Instance>(moves, 0), level.back.offsets.data(),
                                        level.back.columns.data(), moves.room.ghost_targets.data(),
                                        moves.room.ghost_gains.data()});
  moves.room.active_next.count_up();
  moves.lists.active.swap(moves.room.active_next);
  moves.lists.candidates.count_up();
  moves.lists.candidates.put_in_order(instance, moves.vertices.marks.data(), is_reconsidered,
                                      level.owned);
  moves.lists.movers.clear();
  const Afterburner<Instance> burner{state_of(moves), moves.lists.candidates.data(),
                                     moves.lists.movers.appender<Instance>()};
  exec::for_each(instance, jet_label, moves.lists.candidates.size(), burner);
  moves.lists.movers.count_up();
}

}  // namespace

std::int64_t improve(Moves& moves, double tolerated_loss) {
  const Level& level = *moves.level;
  const auto work = [&](const auto& stage) {
    return attempt(moves_stage, [&] { with_space(level.space, stage); });
  };
  Status ready = work([&](const auto& instance) { choose(instance, moves, tolerated_loss); });
  level.ghosts.refresh(moves.vertices.targets, 1, ready);
  level.ghosts.refresh(moves.vertices.gains);
  ready = work([&](const auto& instance) { burn(instance, moves); });
  const std::int64_t moved = moves.commit(ready, moves.vertices.targets, true);
  ++moves.round;
  return moved;
}

}  // namespace evenkeel::graphs
