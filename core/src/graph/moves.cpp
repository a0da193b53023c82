// Jet (Gilbert, Madduri, Boman and Rajamanickam, 2023), with ties and sums that do not depend on
// ranks and threads.

#include "graph/moves.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace evenkeel::graph {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::refine";

// Sums that each step adds up before they go to the host: changes of the worth, then the weights
// of parts.
constexpr std::int64_t cut_change = 0, stay_change = 1, first_weight = 2;

KOKKOS_INLINE_FUNCTION std::int64_t finer(EdgeUnits weight) {
  return static_cast<std::int64_t>(weight) << finer_bits;
}

// --- Views of the state --------------------------------------------------------------------------

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

  KOKKOS_FUNCTION std::int64_t stay_of(Vertex v, int part) const {
    return homes != nullptr && stay != nullptr && homes[v] == part ? stay[v] : 0;
  }
  KOKKOS_FUNCTION bool is_fixed(Vertex v) const { return fixed != nullptr && fixed[v] >= 0; }
};

// What lists a vertex is on.
constexpr int on_border = 1, is_active = 2, is_reconsidered = 4;

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

// --- Jet's step ----------------------------------------------------------------------------------

// What a vertex would do, which changes when it or a neighbour has moved.
template <class Instance>
struct Choose {
  State state;
  double tolerated_loss;
  Appender<Instance> active_next, reconsidered;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    clears_mark<Instance>(&state.marks[v], is_active);
    if (state.moved_at[v] != state.round - 1) return true;
    // Locked for one round.
    if (sets_mark<Instance>(&state.marks[v], is_active)) active_next(v);
    settle(v, nowhere, 0);
    return false;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
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
      if (weight < best || (weight == best && !is_better(part, best_part))) continue;
      best = weight;
      best_part = part;
    }
    const std::int64_t gain = best - own;
    if (best_part == nowhere ||
        (gain < 0 && static_cast<double>(-gain) >= tolerated_loss * static_cast<double>(own)))
      settle(v, nowhere, 0);
    else
      settle(v, best_part, gain);
  }
  // Of two parts that a vertex is equally connected to.
  KOKKOS_FUNCTION bool is_better(int part, int other) const {
    const std::int64_t weight = state.part_weights[static_cast<std::int64_t>(part) * state.constraints];
    const std::int64_t its = state.part_weights[static_cast<std::int64_t>(other) * state.constraints];
    return weight != its ? weight < its : part < other;
  }
  // Who counts on this vertex thinks again where it has changed its mind.
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

// The same for what ghosts have changed.
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

// Counts on the moves of neighbours with a higher gain, and keeps what then does no harm.
template <class Instance>
struct Afterburner {
  State state;
  std::int64_t floors[most_constraints];
  const Vertex* reconsidered;
  Appender<Instance> movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = reconsidered[i];
    clears_mark<Instance>(&state.marks[v], is_reconsidered);
    const int from = state.parts[v], to = state.targets[v];
    if (to == nowhere || is_light(from)) return;
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
  KOKKOS_FUNCTION bool is_light(int part) const {
    for (int c = 0; c < state.constraints; ++c)
      if (state.part_weights[static_cast<std::int64_t>(part) * state.constraints + c] < floors[c])
        return true;
    return false;
  }
};

// --- Carrying out --------------------------------------------------------------------------------

template <class Instance>
struct Apply {
  State state;
  const Vertex* movers;
  const int* targets;
  bool are_locked;
  std::int64_t* sums;
  Appender<Instance> changed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = movers[i];
    const int from = state.parts[v], to = targets[v];
    state.parts[v] = to;
    if (are_locked) state.moved_at[v] = state.round;
    for (int c = 0; c < state.constraints; ++c) {
      const std::int64_t weight = state.weights[static_cast<std::int64_t>(v) * state.constraints + c];
      add<Instance>(&sums[first_weight + static_cast<std::int64_t>(from) * state.constraints + c], -weight);
      add<Instance>(&sums[first_weight + static_cast<std::int64_t>(to) * state.constraints + c], weight);
    }
    changed(v);
  }
};

// Twice the change of the cut, and the change of what staying is worth; lists who is concerned.
template <class Instance>
struct Account {
  State state;
  const Vertex* movers;
  std::int64_t* sums;
  Appender<Instance> border, active;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = movers[i];
    const int before = state.origins[v], after = state.parts[v];
    std::int64_t change = 0;
    for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e) {
      const Vertex u = state.rows.columns[e];
      const int its_before = state.origins[u], its_after = state.parts[u];
      const std::int64_t weight = finer(state.rows.weights[e]) * (its_before != its_after ? 1 : 2);
      if (before != its_before) change -= weight;
      if (after != its_after) change += weight;
      if (u < state.owned) list(u);
    }
    add<Instance>(&sums[cut_change], change);
    add<Instance>(&sums[stay_change], state.stay_of(v, after) - state.stay_of(v, before));
    list(v);
  }
  KOKKOS_FUNCTION void list(Vertex u) const {
    if (state.is_fixed(u)) return;
    if (sets_mark<Instance>(&state.marks[u], on_border)) border(u);
    if (sets_mark<Instance>(&state.marks[u], is_active)) active(u);
  }
};

template <class Instance>
struct ListBesideGhosts {
  Account<Instance> account;
  const std::int64_t* back_offsets;
  const Vertex* back_columns;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const std::int64_t ghost = account.state.owned + g;
    if (account.state.origins[ghost] == account.state.parts[ghost]) return;
    for (std::int64_t e = back_offsets[g]; e < back_offsets[g + 1]; ++e)
      account.list(back_columns[e]);
  }
};

struct SettleMovers {
  const Vertex* movers;
  const int* parts;
  int* origins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { origins[movers[i]] = parts[movers[i]]; }
};

template <class T>
struct Copy {
  const T* from;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

// --- The beginning -------------------------------------------------------------------------------

template <class Instance>
struct Begin {
  State state;
  std::int64_t* sums;
  Appender<Instance> border, active;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    const int part = state.parts[v];
    state.moved_at[v] = -2;
    std::int64_t cut = 0;
    for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e)
      if (state.parts[state.rows.columns[e]] != part) cut += finer(state.rows.weights[e]);
    const bool is_border = cut > 0 && !state.is_fixed(v);
    state.marks[v] = is_border ? on_border | is_active : 0;
    if (is_border) {
      border(v);
      active(v);
    }
    if (cut > 0) add<Instance>(&sums[cut_change], cut);
    const std::int64_t stay = state.stay_of(v, part);
    if (stay > 0) add<Instance>(&sums[stay_change], stay);
    for (int c = 0; c < state.constraints; ++c)
      add<Instance>(&sums[first_weight + static_cast<std::int64_t>(part) * state.constraints + c],
                    state.weights[i * state.constraints + c]);
  }
};

// --- Relief --------------------------------------------------------------------------------------

// Losses by weight are sorted into classes of half an octave.
constexpr int loss_classes = 96;
constexpr int hash_bins = 256;

KOKKOS_INLINE_FUNCTION int exponent_and_half(double value) {
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return static_cast<int>(bits >> 51U);
}

struct Relief {
  const int* critical;           // of each part the constraint that it exceeds; -1: none
  const std::int64_t* limits;    // of each constraint
  double mean_weight;            // of a vertex, in the first constraint
};

template <class Instance>
struct ChooseRelief {
  State state;
  Relief relief;
  std::int64_t* histogram;  // parts x loss_classes
  int *targets, *classes;
  Appender<Instance> candidates;

  KOKKOS_FUNCTION const std::int64_t* weights_of(Vertex v) const {
    return state.weights + static_cast<std::int64_t>(v) * state.constraints;
  }
  KOKKOS_FUNCTION bool has_room(int part, Vertex v) const {
    for (int c = 0; c < state.constraints; ++c)
      if (state.part_weights[static_cast<std::int64_t>(part) * state.constraints + c] + weights_of(v)[c] > relief.limits[c])
        return false;
    return true;
  }
  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const int c = relief.critical[state.parts[v]];
    return c >= 0 && weights_of(v)[c] > 0;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const int own_part = state.parts[v], c = relief.critical[own_part];
    std::int64_t own = state.stay_of(v, own_part), best = -1;
    int best_part = nowhere;
    for (int i = 0; i < all.size(); ++i) {
      const int part = all.part(i);
      if (part == own_part) {
        own += all.weight(i) << finer_bits;
        continue;
      }
      if (!has_room(part, v)) continue;
      const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
      if (weight < best || (weight == best && part > best_part)) continue;
      best = weight;
      best_part = part;
    }
    if (best_part == nowhere) return;
    targets[v] = best_part;
    const int its_class = loss_class(own - best, weights_of(v)[c]);
    classes[v] = its_class;
    add<Instance>(&histogram[static_cast<std::int64_t>(own_part) * loss_classes + its_class], weights_of(v)[c]);
    candidates(v);
  }
  KOKKOS_FUNCTION int loss_class(std::int64_t loss, std::int64_t weight) const {
    if (loss <= 0) return loss < 0 ? 0 : 1;
    const double relative = static_cast<double>(loss) * (relief.mean_weight / static_cast<double>(weight));
    constexpr int exponent_of_1 = 1023 * 2;
    int its_class = exponent_and_half(relative) - exponent_of_1 - 2 * (finer_bits - 10) + 2;
    its_class = its_class < 2 ? 2 : its_class;
    return its_class < loss_classes ? its_class : loss_classes - 1;
  }
};

KOKKOS_INLINE_FUNCTION int bin_of(std::uint64_t name, int step) {
  std::uint64_t bits = (name + static_cast<std::uint64_t>(step) * 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
  return static_cast<int>((bits ^ (bits >> 29U)) >> 24U) & (hash_bins - 1);
}
KOKKOS_INLINE_FUNCTION std::uint32_t lot_of(std::uint64_t name, int step) {
  std::uint64_t bits = (name ^ static_cast<std::uint64_t>(step + 1) * 0xD6E8FEB86659FD93U) * 0x94D049BB133111EBU;
  return static_cast<std::uint32_t>((bits ^ (bits >> 31U)) >> 20U);
}

template <class Instance>
struct CountBins {
  State state;
  const int* classes;
  const int* critical;
  const int* threshold;  // class of each part
  const Vertex* candidates;
  std::int64_t* histogram;  // parts x hash_bins
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const int part = state.parts[v];
    if (classes[v] != threshold[part]) return;
    add<Instance>(&histogram[static_cast<std::int64_t>(part) * hash_bins + bin_of(state.names[v], state.step)],
                  state.weights[static_cast<std::int64_t>(v) * state.constraints + critical[part]]);
  }
};

struct IsReleased {
  State state;
  const int* classes;
  const int* threshold;
  const int* bins;  // of each part: those below this go too
  KOKKOS_FUNCTION bool operator()(Vertex v) const {
    const int part = state.parts[v];
    return classes[v] < threshold[part] ||
           (classes[v] == threshold[part] && bin_of(state.names[v], state.step) < bins[part]);
  }
};

template <class Instance>
struct CountInflow {
  State state;
  IsReleased is_released;
  const int* targets;
  const Vertex* candidates;
  std::int64_t* inflow;  // parts x constraints
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    if (!is_released(v)) return;
    for (int c = 0; c < state.constraints; ++c)
      add<Instance>(&inflow[static_cast<std::int64_t>(targets[v]) * state.constraints + c],
                    state.weights[static_cast<std::int64_t>(v) * state.constraints + c]);
  }
};

template <class Instance>
struct Admit {
  State state;
  IsReleased is_released;
  const int* targets;
  const std::uint32_t* share;  // of 2^32 - 1 that each part takes of what comes
  const Vertex* candidates;
  Appender<Instance> movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    if (is_released(v) && lot_of(state.names[v], state.step) <= share[targets[v]]) movers(v);
  }
};

}  // namespace

// --- The work on a space -------------------------------------------------------------------------

// Access to the state, and what all steps do with it.
struct MovesWork {
  Moves& moves;

  const Level& level() const { return *moves.level_; }
  const Space& space() const { return moves.level_->space; }
  std::int64_t weight_count() const {
    return static_cast<std::int64_t>(moves.goal_.parts) * moves.goal_.constraints;
  }

  State state() const {
    const Level& its = level();
    return {RowsView(its.rows),
            its.weights.data(),
            its.names.data(),
            its.homes.empty() ? nullptr : its.homes.data(),
            its.fixed.empty() ? nullptr : its.fixed.data(),
            its.stay.empty() ? nullptr : its.stay.data(),
            its.owned,
            its.constraints,
            moves.round_,
            moves.step_,
            moves.parts_.data(),
            moves.origins_.data(),
            moves.targets_.data(),
            moves.moved_at_.data(),
            moves.marks_.data(),
            moves.gains_.data(),
            moves.weights_there_.data()};
  }

  void allocate(exec::Array<int> parts) {
    const std::int64_t local = level().local(), owned = level().owned;
    moves.parts_ = std::move(parts);
    moves.origins_ = moves.parts_;
    moves.remembered_ = moves.parts_;
    moves.targets_ = exec::filled<int>(space(), label, local, nowhere);
    moves.gains_ = {space(), label, local};
    moves.moved_at_ = {space(), label, owned};
    moves.marks_ = {space(), label, owned};
    moves.relief_targets_ = {space(), label, owned};
    moves.relief_classes_ = {space(), label, owned};
    const std::int64_t ghosts = level().ghost_count();
    moves.ghost_targets_ = {space(), label, ghosts};
    moves.ghost_gains_ = {space(), label, ghosts};
    for (VertexList* list : {&moves.border_, &moves.active_, &moves.active_next_,
                             &moves.candidates_, &moves.movers_, &moves.crowded_})
      *list = VertexList(space(), owned);
    moves.changed_ = VertexList(space(), 2 * owned);
    moves.sums_ = exec::filled<std::int64_t>(space(), label, first_weight + weight_count(), 0);
    moves.weights_there_ = {space(), label, weight_count()};
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
    const std::int64_t each = moves.goal_.parts * static_cast<std::int64_t>(sizeof(std::int64_t));
    const std::int64_t wanted = space().is_device() ? 1024 : exec::host_threads();
    const std::int64_t workers = std::clamp<std::int64_t>(most_bytes / each, 1, wanted);
    moves.worker_weights_ =
        exec::filled<std::int64_t>(space(), label, workers * moves.goal_.parts, 0);
    moves.worker_parts_ = {space(), label, workers * moves.goal_.parts};
    moves.weights_.assign(static_cast<std::size_t>(weight_count()), 0);
  }

  template <class Instance, class Body>
  void for_listed(const Instance& instance, const VertexList& list, const Body& body) {
    const State now = state();
    moves.crowded_.clear();
    exec::for_each(
        instance, label, list.size(),
        WithFew<Instance, Body>{now, body, list.data(), moves.crowded_.appender<Instance>()});
    moves.crowded_.count_up();
    if (moves.crowded_.empty()) return;
    const std::int64_t workers = moves.worker_weights_.size() / moves.goal_.parts;
    exec::for_each(instance, label, workers,
                   WithMany<Body>{now, body, moves.crowded_.data(), moves.crowded_.size(), workers,
                                  moves.goal_.parts, moves.worker_parts_.data(),
                                  moves.worker_weights_.data()});
  }

  template <class Instance>
  Choose<Instance> choice(double tolerated_loss) {
    return {state(), tolerated_loss, moves.active_next_.appender<Instance>(),
            moves.candidates_.appender<Instance>()};
  }

  template <class Instance>
  void choose(const Instance& instance, double tolerated_loss) {
    const std::int64_t ghosts = level().ghost_count(), owned = level().owned;
    exec::for_each(instance, label, ghosts,
                   Copy<int>{moves.targets_.data() + owned, moves.ghost_targets_.data()});
    exec::for_each(instance, label, ghosts,
                   Copy<std::int64_t>{moves.gains_.data() + owned, moves.ghost_gains_.data()});
    moves.active_next_.clear();
    moves.candidates_.clear();
    for_listed(instance, moves.active_, choice<Instance>(tolerated_loss));
  }

  template <class Instance>
  void burn(const Instance& instance) {
    exec::for_each(instance, label, level().ghost_count(),
                   FollowGhosts<Instance>{choice<Instance>(0), level().back_offsets.data(),
                                          level().back_columns.data(), moves.ghost_targets_.data(),
                                          moves.ghost_gains_.data()});
    moves.active_next_.count_up();
    moves.active_.swap(moves.active_next_);
    moves.candidates_.count_up();
    moves.movers_.clear();
    Afterburner<Instance> burner{state(), {}, moves.candidates_.data(),
                                 moves.movers_.appender<Instance>()};
    std::copy(moves.goal_.floors.begin(), moves.goal_.floors.end(), burner.floors);
    exec::for_each(instance, label, moves.candidates_.size(), burner);
    moves.movers_.count_up();
  }

  // Moved vertices since remember(); more than there is room for: all.
  template <class Instance>
  void apply(const Instance& instance, const exec::Array<int>& targets, bool are_locked) {
    if (moves.changed_.size() + moves.movers_.size() > moves.changed_.capacity()) compact(instance);
    exec::for_each(instance, label, moves.movers_.size(),
                   Apply<Instance>{state(), moves.movers_.data(), targets.data(), are_locked,
                                   moves.sums_.data(), moves.changed_.appender<Instance>()});
    moves.changed_.count_up();
  }

  template <class Instance>
  void compact(const Instance& instance) {
    moves.changed_.clear();
    exec::for_each(instance, label, level().owned,
                   ListChanged<Instance>{moves.parts_.data(), moves.remembered_.data(),
                                         moves.changed_.appender<Instance>()});
    moves.changed_.count_up();
  }
  template <class Instance>
  struct ListChanged {
    const int *parts, *remembered;
    Appender<Instance> changed;
    KOKKOS_FUNCTION void operator()(std::int64_t v) const {
      if (parts[v] != remembered[v]) changed(static_cast<Vertex>(v));
    }
  };

  template <class Instance>
  void account(const Instance& instance) {
    const Account<Instance> account{state(), moves.movers_.data(), moves.sums_.data(),
                                    moves.border_.appender<Instance>(),
                                    moves.active_.appender<Instance>()};
    exec::for_each(instance, label, moves.movers_.size(), account);
    exec::for_each(instance, label, level().ghost_count(),
                   ListBesideGhosts<Instance>{account, level().back_offsets.data(),
                                              level().back_columns.data()});
    exec::for_each(instance, label, moves.movers_.size(),
                   SettleMovers{moves.movers_.data(), moves.parts_.data(), moves.origins_.data()});
    exec::for_each(instance, label, level().ghost_count(),
                   Copy<int>{moves.parts_.data() + level().owned,
                             moves.origins_.data() + level().owned});
    moves.border_.count_up();
    moves.active_.count_up();
  }

  template <class Instance>
  void begin(const Instance& instance) {
    exec::for_each(instance, label, level().owned,
                   Begin<Instance>{state(), moves.sums_.data(),
                                   moves.border_.appender<Instance>(),
                                   moves.active_.appender<Instance>()});
    moves.border_.count_up();
    moves.active_.count_up();
  }

  // Collective. Adds the sums of all ranks to what the host knows, and tells the space.
  void add_sums(const Status& status, std::int64_t moved, std::int64_t& all_moved) {
    std::vector<std::int64_t> sums;
    const Status ready = attempt(stage_name, [&] {
      if (!status.ok()) throw Error(*status.error());
      sums = moves.sums_.on_host();
      sums.push_back(moved);
    });
    if (!ready.ok() || moves.communicator_->size() > 1) vote(*moves.communicator_, ready);
    moves.communicator_->all_reduce(std::span(sums), Reduction::sum);
    all_moved = sums.back();
    moves.worth_.cut += sums[cut_change] / 2;
    moves.worth_.stay += sums[stay_change];
    for (std::size_t i = 0; i < moves.weights_.size(); ++i)
      moves.weights_[i] += sums[first_weight + i];
    tell_weights();
    exec::for_each(space(), label, moves.sums_.size(),
                   exec::detail::Fill<std::int64_t>{moves.sums_.data(), 0});
  }
  void tell_weights() {
    copy_bytes(space(), moves.weights_there_.data(), moves.weights_there_.memory(),
               moves.weights_.data(), MemoryKind::host, moves.weights_there_.bytes());
    space().fence(label);
  }
};

Moves::Moves(const Communicator& communicator, const Status& status, const Level& level,
             const Goal& goal, exec::Array<int> parts)
    : communicator_(&communicator), level_(&level), goal_(goal) {
  MovesWork work{*this};
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    work.allocate(std::move(parts));
    with_space(level.space, [&](const auto& instance) { work.begin(instance); });
  });
  std::int64_t moved = 0;
  work.add_sums(ready, 0, moved);
  remembered_worth_ = worth_;
  remembered_weights_ = weights_;
}

double Moves::excess() const noexcept {
  double greatest = -1;
  const auto constraints = static_cast<std::size_t>(goal_.constraints);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const auto limit = static_cast<double>(goal_.limits[i % constraints]);
    greatest = std::max(greatest, (static_cast<double>(weights_[i]) - limit) / std::max(limit, 1.0));
  }
  return greatest;
}

std::int64_t Moves::commit() {
  MovesWork work{*this};
  level_->ghosts.refresh(parts_);
  const Status ready = attempt(stage_name, [&] {
    with_space(level_->space, [&](const auto& instance) { work.account(instance); });
  });
  std::int64_t moved = 0;
  work.add_sums(ready, movers_.size(), moved);
  ++step_;
  return moved;
}

std::int64_t Moves::improve(double tolerated_loss) {
  MovesWork work{*this};
  Status ready = attempt(stage_name, [&] {
    with_space(level_->space, [&](const auto& instance) { work.choose(instance, tolerated_loss); });
  });
  level_->ghosts.refresh(targets_, 1, ready);
  level_->ghosts.refresh(gains_);
  ready = attempt(stage_name, [&] {
    with_space(level_->space, [&](const auto& instance) {
      work.burn(instance);
      work.apply(instance, targets_, true);
    });
  });
  if (!ready.ok() || communicator_->size() > 1) vote(*communicator_, ready);
  const std::int64_t moved = commit();
  ++round_;
  return moved;
}

void Moves::remember() {
  remembered_worth_ = worth_;
  remembered_weights_ = weights_;
  exec::for_each(level_->space, label, changed_.size(),
                 SettleMovers{changed_.data(), parts_.data(), remembered_.data()});
  level_->space.fence(label);
  changed_.clear();
}

void Moves::restore() {
  worth_ = remembered_worth_;
  weights_ = remembered_weights_;
  exec::for_each(level_->space, label, changed_.size(),
                 SettleMovers{changed_.data(), remembered_.data(), parts_.data()});
  level_->space.fence(label);
  changed_.clear();
  level_->ghosts.refresh(parts_);
}

namespace {

// The constraint that each part exceeds most, or -1.
std::vector<int> critical_constraints(const std::vector<std::int64_t>& weights, const Goal& goal) {
  std::vector<int> critical(static_cast<std::size_t>(goal.parts), -1);
  const auto constraints = static_cast<std::size_t>(goal.constraints);
  for (std::size_t p = 0; p < critical.size(); ++p) {
    double greatest = 0;
    for (std::size_t c = 0; c < constraints; ++c) {
      const auto limit = static_cast<double>(goal.limits[c]);
      const double excess = (static_cast<double>(weights[p * constraints + c]) - limit) / std::max(limit, 1.0);
      if (excess <= greatest) continue;
      greatest = excess;
      critical[p] = static_cast<int>(c);
    }
  }
  return critical;
}

// Walks bins until they hold `amount`: how many bins stay below it, and what they hold.
struct Threshold {
  int bin;
  std::int64_t below;
};
Threshold threshold_of(std::span<const std::int64_t> bins, std::int64_t amount) {
  std::int64_t sum = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (sum + bins[bin] >= amount) return {static_cast<int>(bin), sum};
    sum += bins[bin];
  }
  return {static_cast<int>(bins.size()), sum};
}

}  // namespace

std::int64_t Moves::relieve() {
  MovesWork work{*this};
  const Space& space = level_->space;
  const auto parts = static_cast<std::size_t>(goal_.parts);
  const auto constraints = static_cast<std::size_t>(goal_.constraints);
  const std::vector<int> critical = critical_constraints(weights_, goal_);
  std::vector<int> classes(parts, 0), bins(parts, 0);
  std::vector<std::uint32_t> shares(parts, 0xFFFFFFFFU);
  std::vector<std::int64_t> sums;
  exec::Array<int> critical_there;
  exec::Array<std::int64_t> limits_there;
  const auto excess = [&](std::size_t p) {
    const auto c = static_cast<std::size_t>(critical[p]);
    return weights_[p * constraints + c] - goal_.limits[c];
  };
  // Sums of all ranks of what a kernel counts.
  const auto reduce = [&](std::int64_t count, const auto& kernel) {
    const Status ready = attempt(stage_name, [&] {
      const auto there = exec::filled<std::int64_t>(space, label, count, 0);
      kernel(there.data());
      sums = there.on_host();
    });
    if (!ready.ok() || communicator_->size() > 1) vote(*communicator_, ready);
    communicator_->all_reduce(std::span(sums), Reduction::sum);
  };

  reduce(goal_.parts * loss_classes, [&](std::int64_t* histogram) {
    critical_there = {space, label, critical};
    limits_there = {space, label, std::span<const std::int64_t>(goal_.limits)};
    const Relief relief{critical_there.data(), limits_there.data(),
                        static_cast<double>(goal_.totals[0]) /
                            static_cast<double>(std::max<std::int64_t>(level_->all_vertices, 1))};
    candidates_.clear();
    with_space(space, [&](const auto& instance) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      work.for_listed(instance, border_, ChooseRelief<Instance>{work.state(), relief, histogram,
 relief_targets_.data(), relief_classes_.data(),
                                                       candidates_.appender<Instance>()});
    });
    candidates_.count_up();
  });
  std::vector<std::int64_t> rests(parts, 0);
  for (std::size_t p = 0; p < parts; ++p) {
    if (critical[p] < 0) continue;
    const auto [its_class, below] = threshold_of(
        std::span<const std::int64_t>(sums).subspan(p * loss_classes, loss_classes), excess(p));
    classes[p] = its_class;
    rests[p] = excess(p) - below;
  }
  const exec::Array<int> classes_there(space, label, classes);
  reduce(goal_.parts * hash_bins, [&](std::int64_t* histogram) {
    with_space(space, [&](const auto& instance) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      exec::for_each(instance, label, candidates_.size(),
                     CountBins<Instance>{work.state(), relief_classes_.data(), critical_there.data(), classes_there.data(),
                                         candidates_.data(), histogram});
    });
  });
  for (std::size_t p = 0; p < parts; ++p)
    if (critical[p] >= 0)
      bins[p] = threshold_of(
                    std::span<const std::int64_t>(sums).subspan(p * hash_bins, hash_bins), rests[p])
                    .bin + 1;
  const exec::Array<int> bins_there(space, label, bins);
  const IsReleased is_released{work.state(), relief_classes_.data(), classes_there.data(), bins_there.data()};
  reduce(work.weight_count(), [&](std::int64_t* inflow) {
    with_space(space, [&](const auto& instance) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      exec::for_each(instance, label, candidates_.size(),
                     CountInflow<Instance>{work.state(), is_released, relief_targets_.data(), candidates_.data(), inflow});
    });
  });
  for (std::size_t p = 0; p < parts; ++p)
    for (std::size_t c = 0; c < constraints; ++c) {
      const std::int64_t room = goal_.limits[c] - weights_[p * constraints + c];
      const std::int64_t comes = sums[p * constraints + c];
      if (comes <= room) continue;
      const double share = std::max(0.0, static_cast<double>(room) / static_cast<double>(comes));
      shares[p] = std::min(shares[p], static_cast<std::uint32_t>(share * 4294967295.0));
    }
  const Status ready = attempt(stage_name, [&] {
    const exec::Array<std::uint32_t> shares_there(space, label, std::span<const std::uint32_t>(shares));
    movers_.clear();
    with_space(space, [&](const auto& instance) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      exec::for_each(instance, label, candidates_.size(),
                     Admit<Instance>{work.state(), is_released, relief_targets_.data(), shares_there.data(),
                                     candidates_.data(), movers_.appender<Instance>()});
      movers_.count_up();
      work.apply(instance, relief_targets_, false);
    });
  });
  if (!ready.ok() || communicator_->size() > 1) vote(*communicator_, ready);
  return commit();
}

}  // namespace evenkeel::graph
