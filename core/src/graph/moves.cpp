// What all ways to improve a cut share.

#include "graph/moves.hpp"

#include "graph/moves_state.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel::graphs {

namespace {

// --- Carrying out --------------------------------------------------------------------------------

template <class Instance>
struct Apply {
  State state;
  const Vertex* movers;
  const int* targets;
  bool are_locked;
  std::int64_t *sums, *lump_sums;
  Appender<Instance> changed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = movers[i];
    const int from = state.parts[v], to = targets[v];
    state.parts[v] = to;
    if (are_locked) state.moved_at[v] = state.round;
    for (int c = 0; c < state.constraints; ++c) {
      const std::int64_t weight =
          state.weights[static_cast<std::int64_t>(v) * state.constraints + c];
      add<Instance>(&sums[first_weight + static_cast<std::int64_t>(from) * state.constraints + c],
                    -weight);
      add<Instance>(&sums[first_weight + static_cast<std::int64_t>(to) * state.constraints + c],
                    weight);
    }
    if (state.is_lump(v)) {
      add<Instance>(&lump_sums[from], std::int64_t{-1});
      add<Instance>(&lump_sums[to], std::int64_t{1});
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

template <class Instance>
struct ListChanged {
  const int *parts, *remembered;
  Appender<Instance> changed;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (parts[v] != remembered[v]) changed(static_cast<Vertex>(v));
  }
};

struct SettleMovers {
  const Vertex* movers;
  const int* parts;
  int* origins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { origins[movers[i]] = parts[movers[i]]; }
};

// --- The beginning -------------------------------------------------------------------------------

template <class Instance>
struct Begin {
  State state;
  std::int64_t *sums, *lump_sums;
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
    if (state.is_lump(v)) add<Instance>(&lump_sums[part], std::int64_t{1});
  }
};

}  // namespace

void vote_between(const Communicator& communicator, const Status& status) {
  if (!status.ok() || communicator.size() > 1) vote(communicator, status);
}

// The steps of begin and commit on a space.
struct Moves::Work {
  Moves& moves;

  const Level& level() const { return *moves.level; }
  const Space& space() const { return moves.level->space; }
  std::int64_t weight_count() const {
    return static_cast<std::int64_t>(moves.goal.parts) * moves.goal.constraints;
  }
  std::int64_t lump_count() const { return moves.goal.lump > 0 ? moves.goal.parts : 0; }
  // Behind the sums of weights.
  std::int64_t* lump_sums() const { return moves.sums_.data() + first_weight + weight_count(); }

  void allocate(exec::Array<int> first_parts) const {
    const std::int64_t local = level().local(), owned = level().owned;
    moves.parts = std::move(first_parts);
    moves.origins = moves.parts;
    moves.remembered_ = moves.parts;
    moves.targets = exec::filled<int>(space(), moves_label, local, nowhere);
    moves.gains = {space(), moves_label, local};
    moves.moved_at = {space(), moves_label, owned};
    moves.marks = {space(), moves_label, owned};
    moves.release_targets = {space(), moves_label, owned};
    moves.release_groups = {space(), moves_label, owned};
    moves.release_classes = {space(), moves_label, owned};
    const std::int64_t ghosts = level().ghost_count();
    moves.ghost_targets = {space(), moves_label, ghosts};
    moves.ghost_gains = {space(), moves_label, ghosts};
    for (VertexList* list : {&moves.border, &moves.active, &moves.active_next, &moves.candidates,
                             &moves.movers, &moves.crowded})
      *list = VertexList(space(), owned);
    moves.changed_ = VertexList(space(), 2 * owned);
    moves.sums_ = exec::filled<std::int64_t>(space(), moves_label,
                                             first_weight + weight_count() + lump_count(), 0);
    moves.weights_there = {space(), moves_label, weight_count()};
    moves.lumps_there = exec::filled<std::int64_t>(space(), moves_label, lump_count(), 0);
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
    const std::int64_t each = moves.goal.parts * static_cast<std::int64_t>(sizeof(std::int64_t));
    const std::int64_t wanted = space().is_device() ? 1024 : exec::host_threads();
    const std::int64_t workers = std::clamp<std::int64_t>(most_bytes / each, 1, wanted);
    moves.worker_weights =
        exec::filled<std::int64_t>(space(), moves_label, workers * moves.goal.parts, 0);
    moves.worker_parts = {space(), moves_label, workers * moves.goal.parts};
    moves.weights.assign(static_cast<std::size_t>(weight_count()), 0);
    moves.lumps.assign(static_cast<std::size_t>(lump_count()), 0);
    moves.host_sums_.assign(static_cast<std::size_t>(moves.sums_.size()) + 2, 0);
  }

  // Moved vertices since remember(); more than there is room for: all.
  template <class Instance>
  void apply(const Instance& instance, const exec::Array<int>& to, bool are_locked) const {
    if (moves.changed_.size() + moves.movers.size() > moves.changed_.capacity()) compact(instance);
    exec::for_each(
        instance, moves_label, moves.movers.size(),
        Apply<Instance>{state_of(moves), moves.movers.data(), to.data(), are_locked,
                        moves.sums_.data(), lump_sums(), moves.changed_.appender<Instance>()});
    moves.changed_.count_up();
  }

  template <class Instance>
  void compact(const Instance& instance) const {
    moves.changed_.clear();
    exec::for_each(instance, moves_label, level().owned,
                   ListChanged<Instance>{moves.parts.data(), moves.remembered_.data(),
                                         moves.changed_.appender<Instance>()});
    moves.changed_.count_up();
  }

  template <class Instance>
  void account(const Instance& instance) const {
    const Account<Instance> account{state_of(moves), moves.movers.data(), moves.sums_.data(),
                                    moves.border.appender<Instance>(),
                                    moves.active.appender<Instance>()};
    exec::for_each(instance, moves_label, moves.movers.size(), account);
    exec::for_each(instance, moves_label, level().ghost_count(),
                   ListBesideGhosts<Instance>{account, level().back_offsets.data(),
                                              level().back_columns.data()});
    exec::for_each(instance, moves_label, moves.movers.size(),
                   SettleMovers{moves.movers.data(), moves.parts.data(), moves.origins.data()});
    exec::for_each(
        instance, moves_label, level().ghost_count(),
        Copy<int>{moves.parts.data() + level().owned, moves.origins.data() + level().owned});
    moves.border.count_up();
    moves.active.count_up();
  }

  template <class Instance>
  void begin(const Instance& instance) const {
    exec::for_each(
        instance, moves_label, level().owned,
        Begin<Instance>{state_of(moves), moves.sums_.data(), lump_sums(),
                        moves.border.appender<Instance>(), moves.active.appender<Instance>()});
    moves.border.count_up();
    moves.active.count_up();
  }

  // Collective. Adds the sums of all ranks to what the host knows, and tells the space. The
  // reduction says as well whether all went well.
  std::int64_t add_sums(const Status& status, std::int64_t moved) const {
    std::vector<std::int64_t>& sums = moves.host_sums_;
    Status ready = status;
    if (ready.ok())
      ready = attempt(moves_stage,
                      [&] { moves.sums_.fetch(0, std::span(sums).first(sums.size() - 2)); });
    std::int64_t& all_moved = sums[sums.size() - 2];
    std::int64_t& failures = sums.back();
    all_moved = moved;
    failures = ready.ok() ? 0 : 1;
    moves.communicator->all_reduce(std::span(sums), Reduction::sum);
    if (failures > 0) vote(*moves.communicator, ready);
    moves.worth.cut += sums[cut_change] / 2;
    moves.worth.stay += sums[stay_change];
    for (std::size_t i = 0; i < moves.weights.size(); ++i)
      moves.weights[i] += sums[first_weight + i];
    for (std::size_t p = 0; p < moves.lumps.size(); ++p)
      moves.lumps[p] += sums[first_weight + moves.weights.size() + p];
    tell_weights();
    exec::for_each(space(), moves_label, moves.sums_.size(),
                   exec::detail::Fill<std::int64_t>{moves.sums_.data(), 0});
    return all_moved;
  }
  void tell_weights() const {
    copy_bytes(space(), moves.weights_there.data(), moves.weights_there.memory(),
               moves.weights.data(), MemoryKind::host, moves.weights_there.bytes());
    copy_bytes(space(), moves.lumps_there.data(), moves.lumps_there.memory(), moves.lumps.data(),
               MemoryKind::host, moves.lumps_there.bytes());
    space().fence(moves_label);
  }
};

Moves::Moves(const Communicator& ranks, const Status& status, const Level& its_level,
             const Goal& its_goal, exec::Array<int> first_parts)
    : communicator(&ranks), level(&its_level), goal(its_goal) {
  const Work work{*this};
  const Status ready = attempt(moves_stage, [&] {
    if (!status.ok()) throw Error(*status.error());
    work.allocate(std::move(first_parts));
    with_space(level->space, [&](const auto& instance) { work.begin(instance); });
  });
  vote_between(*communicator, ready);
  work.add_sums({}, 0);
  remembered_worth_ = worth;
  remembered_weights_ = weights;
  remembered_lumps_ = lumps;
}

double Moves::excess_of(std::size_t part, std::size_t constraint) const noexcept {
  const auto limit = static_cast<double>(goal.limits[constraint]);
  const std::int64_t weight =
      weights[part * static_cast<std::size_t>(goal.constraints) + constraint];
  return (static_cast<double>(weight) - limit) / std::max(limit, 1.0);
}

double Moves::excess() const noexcept {
  double greatest = -1;
  for (std::size_t p = 0; p < static_cast<std::size_t>(goal.parts); ++p)
    for (std::size_t c = 0; c < static_cast<std::size_t>(goal.constraints); ++c)
      greatest = std::max(greatest, excess_of(p, c));
  return greatest;
}

int Moves::critical_constraint(std::size_t part) const noexcept {
  int critical = no_constraint;
  double greatest = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(goal.constraints); ++c) {
    if (excess_of(part, c) <= greatest) continue;
    greatest = excess_of(part, c);
    critical = static_cast<int>(c);
  }
  return critical;
}

std::int64_t Moves::commit(const Status& status, const exec::Array<int>& to, bool are_locked) {
  const Work work{*this};
  Status ready = status;
  if (ready.ok())
    ready = attempt(moves_stage, [&] {
      with_space(level->space, [&](const auto& instance) { work.apply(instance, to, are_locked); });
    });
  level->ghosts.refresh(parts, 1, ready);
  ready = attempt(moves_stage, [&] {
    with_space(level->space, [&](const auto& instance) { work.account(instance); });
  });
  const std::int64_t moved = work.add_sums(ready, movers.size());
  ++step;
  return moved;
}

void Moves::remember() {
  remembered_worth_ = worth;
  remembered_weights_ = weights;
  remembered_lumps_ = lumps;
  exec::for_each(level->space, moves_label, changed_.size(),
                 SettleMovers{changed_.data(), parts.data(), remembered_.data()});
  level->space.fence(moves_label);
  changed_.clear();
}

void Moves::restore() {
  worth = remembered_worth_;
  weights = remembered_weights_;
  lumps = remembered_lumps_;
  exec::for_each(level->space, moves_label, changed_.size(),
                 SettleMovers{changed_.data(), remembered_.data(), parts.data()});
  exec::for_each(level->space, moves_label, changed_.size(),
                 SettleMovers{changed_.data(), parts.data(), origins.data()});
  level->space.fence(moves_label);
  changed_.clear();
  level->ghosts.refresh(parts);
  exec::for_each(level->space, moves_label, level->ghost_count(),
                 Copy<int>{parts.data() + level->owned, origins.data() + level->owned});
  level->space.fence(moves_label);
}

}  // namespace evenkeel::graphs
