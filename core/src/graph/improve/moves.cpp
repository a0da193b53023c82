// The steps that all ways to improve a cut use.

#include "graph/improve/moves.hpp"

#include "graph/improve/moves_state.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel::graphs {

namespace {

// --- Carrying out --------------------------------------------------------------------------------

template <class Instance>
struct Apply {
  MovesState state;
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
      const std::int64_t weight = state.weight(v, c);
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

// Adds up twice the change of the cut, and the change of the worth of staying at home. Lists the
// moved vertices and their neighbours as `border` and `active`.
template <class Instance>
struct AddUpChanges {
  MovesState state;
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
  AddUpChanges<Instance> account;
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

// Keeps the vertices on a list that have a neighbour in another part.
template <class Instance>
struct KeepBorder {
  MovesState state;
  const Vertex* listed;
  Appender<Instance> kept;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = listed[i];
    for (std::int64_t e = state.rows.offsets[v]; e < state.rows.offsets[v + 1]; ++e)
      if (state.parts[state.rows.columns[e]] != state.parts[v]) return kept(v);
    clears_mark<Instance>(&state.marks[v], on_border);
  }
};

struct ClearActive {
  const Vertex* listed;
  int* marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { marks[listed[i]] &= ~is_active; }
};
template <class Instance>
struct Activate {
  const Vertex* listed;
  int* marks;
  Appender<Instance> active;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    marks[listed[i]] |= is_active;
    active(listed[i]);
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
struct BeginMoves {
  MovesState state;
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
                    state.weight(v, c));
    if (state.is_lump(v)) add<Instance>(&lump_sums[part], std::int64_t{1});
  }
};

}  // namespace

void vote_between(const Communicator& communicator, const Status& status) {
  if (!status.ok() || communicator.size() > 1) vote(communicator, status);
}

// The steps of the constructor and of commit() that run on the space of the level.
struct Moves::Work {
  Moves& moves;

  const Level& level() const { return *moves.level; }
  const Space& space() const { return moves.level->space; }
  std::int64_t weight_count() const {
    return static_cast<std::int64_t>(moves.goal.parts) * moves.goal.constraints;
  }
  std::int64_t lump_count() const { return moves.goal.lump > 0 ? moves.goal.parts : 0; }
  // The numbers of lumps (goal.hpp) are stored after the sums of weights.
  std::int64_t* lump_sums() const {
    return moves.sums_.there.data() + first_weight + weight_count();
  }

  void allocate(exec::Array<int> first_parts) const {
    const std::int64_t local = level().local(), owned = level().owned;
    moves.vertices.parts = std::move(first_parts);
    moves.vertices.origins = moves.vertices.parts;
    moves.remembered_.parts = moves.vertices.parts;
    moves.vertices.targets = exec::filled<int>(space(), moves_label, local, nowhere);
    moves.vertices.gains = {space(), moves_label, local};
    moves.vertices.moved_at = {space(), moves_label, owned};
    moves.vertices.marks = {space(), moves_label, owned};
    moves.vertices.favourites = {space(), moves_label, owned};
    moves.vertices.losses = {space(), moves_label, owned};
    moves.room.release_targets = {space(), moves_label, owned};
    moves.room.release_groups = {space(), moves_label, owned};
    moves.room.release_classes = {space(), moves_label, owned};
    const std::int64_t ghosts = level().ghost_count();
    moves.room.ghost_targets = {space(), moves_label, ghosts};
    moves.room.ghost_gains = {space(), moves_label, ghosts};
    for (VertexList* list : {&moves.lists.border, &moves.lists.active, &moves.room.active_next,
                             &moves.lists.candidates, &moves.lists.movers, &moves.room.crowded})
      *list = VertexList(space(), owned);
    moves.remembered_.changed = VertexList(space(), 2 * owned);
    moves.sums_.there = exec::filled<std::int64_t>(space(), moves_label,
                                                   first_weight + weight_count() + lump_count(), 0);
    moves.loads.weights_there = {space(), moves_label, weight_count()};
    moves.loads.lumps_there = exec::filled<std::int64_t>(space(), moves_label, lump_count(), 0);
    std::vector<std::int64_t> limits, floors;
    for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p)
      for (std::size_t c = 0; c < static_cast<std::size_t>(moves.goal.constraints); ++c) {
        limits.push_back(moves.goal.limit_of(p, c));
        floors.push_back(moves.goal.floor_of(p, c));
      }
    moves.loads.limits_there = {space(), moves_label, std::span<const std::int64_t>(limits)};
    moves.loads.floors_there = {space(), moves_label, std::span<const std::int64_t>(floors)};
    moves.loads.admissions.assign(static_cast<std::size_t>(moves.goal.parts), all_admitted);
    moves.loads.admissions_there = {space(), moves_label,
                                    std::span<const std::uint32_t>(moves.loads.admissions)};
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
    const std::int64_t each = moves.goal.parts * static_cast<std::int64_t>(sizeof(std::int64_t));
    const std::int64_t wanted = space().is_device() ? 1024 : exec::host_threads();
    const std::int64_t workers = std::clamp<std::int64_t>(most_bytes / each, 1, wanted);
    moves.room.worker_weights =
        exec::filled<std::int64_t>(space(), moves_label, workers * moves.goal.parts, 0);
    moves.room.worker_parts = {space(), moves_label, workers * moves.goal.parts};
    moves.loads.weights.assign(static_cast<std::size_t>(weight_count()), 0);
    moves.loads.lumps.assign(static_cast<std::size_t>(lump_count()), 0);
    moves.sums_.here.assign(static_cast<std::size_t>(moves.sums_.there.size()) + 2, 0);
  }

  // Applies the moves, and lists the vertices that have moved since remember(). If there is no room
  // for more entries, the list is compacted.
  template <class Instance>
  void apply(const Instance& instance, const exec::Array<int>& to, bool are_locked) const {
    if (moves.remembered_.changed.size() + moves.lists.movers.size() >
        moves.remembered_.changed.capacity())
      compact(instance);
    exec::for_each(instance, moves_label, moves.lists.movers.size(),
                   Apply<Instance>{state_of(moves), moves.lists.movers.data(), to.data(),
                                   are_locked, moves.sums_.there.data(), lump_sums(),
                                   moves.remembered_.changed.appender<Instance>()});
    moves.remembered_.changed.count_up();
  }

  template <class Instance>
  void compact(const Instance& instance) const {
    moves.remembered_.changed.clear();
    exec::for_each(
        instance, moves_label, level().owned,
        ListChanged<Instance>{moves.vertices.parts.data(), moves.remembered_.parts.data(),
                              moves.remembered_.changed.appender<Instance>()});
    moves.remembered_.changed.count_up();
  }

  template <class Instance>
  void account(const Instance& instance) const {
    const AddUpChanges<Instance> account{
        state_of(moves), moves.lists.movers.data(), moves.sums_.there.data(),
        moves.lists.border.appender<Instance>(), moves.lists.active.appender<Instance>()};
    exec::for_each(instance, moves_label, moves.lists.movers.size(), account);
    exec::for_each(instance, moves_label, level().ghost_count(),
                   ListBesideGhosts<Instance>{account, level().back.offsets.data(),
                                              level().back.columns.data()});
    exec::for_each(instance, moves_label, moves.lists.movers.size(),
                   SettleMovers{moves.lists.movers.data(), moves.vertices.parts.data(),
                                moves.vertices.origins.data()});
    exec::for_each(instance, moves_label, level().ghost_count(),
                   exec::Copy{moves.vertices.parts.data() + level().owned,
                              moves.vertices.origins.data() + level().owned});
    moves.lists.border.count_up();
    moves.lists.active.count_up();
  }

  template <class Instance>
  void begin(const Instance& instance) const {
    exec::for_each(instance, moves_label, level().owned,
                   BeginMoves<Instance>{state_of(moves), moves.sums_.there.data(), lump_sums(),
                                        moves.lists.border.appender<Instance>(),
                                        moves.lists.active.appender<Instance>()});
    moves.lists.border.count_up();
    moves.lists.active.count_up();
  }

  // Does nothing if the list has hardly grown since the last time.
  template <class Instance>
  void keep_border(const Instance& instance) const {
    if (moves.lists.border.size() <= moves.remembered_.border + moves.remembered_.border / 4)
      return;
    moves.lists.candidates.clear();
    exec::for_each(instance, moves_label, moves.lists.border.size(),
                   KeepBorder<Instance>{state_of(moves), moves.lists.border.data(),
                                        moves.lists.candidates.appender<Instance>()});
    moves.lists.candidates.count_up();
    moves.lists.border.swap(moves.lists.candidates);
    moves.remembered_.border = moves.lists.border.size();
  }
  // All vertices on the border choose again, and no vertex has a target.
  template <class Instance>
  void reset_choices(const Instance& instance) const {
    int* const marks = moves.vertices.marks.data();
    exec::for_each(instance, moves_label, level().local(),
                   exec::Fill<int>{moves.vertices.targets.data(), nowhere});
    exec::for_each(instance, moves_label, moves.lists.active.size(),
                   ClearActive{moves.lists.active.data(), marks});
    moves.lists.active.clear();
    exec::for_each(instance, moves_label, moves.lists.border.size(),
                   Activate<Instance>{moves.lists.border.data(), marks,
                                      moves.lists.active.appender<Instance>()});
    moves.lists.active.count_up();
  }

  // Collective. Adds up the sums over all ranks on the host, and copies the result to the space.
  // The same reduction reports failures.
  std::int64_t add_sums(const Status& status, std::int64_t moved) const {
    std::vector<std::int64_t>& sums = moves.sums_.here;
    Status ready = status;
    if (ready.ok())
      ready = attempt(moves_stage,
                      [&] { moves.sums_.there.fetch(0, std::span(sums).first(sums.size() - 2)); });
    std::int64_t& all_moved = sums[sums.size() - 2];
    std::int64_t& failures = sums.back();
    all_moved = moved;
    failures = ready.ok() ? 0 : 1;
    moves.communicator->all_reduce(std::span(sums), Reduction::sum);
    if (failures > 0) vote(*moves.communicator, ready);
    moves.worth.cut += sums[cut_change] / 2;
    moves.worth.stay += sums[stay_change];
    for (std::size_t i = 0; i < moves.loads.weights.size(); ++i)
      moves.loads.weights[i] += sums[first_weight + i];
    for (std::size_t p = 0; p < moves.loads.lumps.size(); ++p)
      moves.loads.lumps[p] += sums[first_weight + moves.loads.weights.size() + p];
    tell_weights();
    exec::for_each(space(), moves_label, moves.sums_.there.size(),
                   exec::Fill<std::int64_t>{moves.sums_.there.data(), 0});
    return all_moved;
  }
  // The factor by which the admission of a part changes. It is below 1 if the part has come to
  // weigh far more than its limit in this round.
  double admission_change(std::size_t part) const {
    constexpr double excess = 0.1;  // of the limit
    constexpr double some = 3;      // vertices of mean weight; few vertices fill a coarse part
    double factor = 2;
    const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
    for (std::size_t c = 0; c < constraints; ++c) {
      const std::size_t at = part * constraints + c;
      const auto limit = static_cast<double>(moves.goal.limit_of(part, c)),
                 came = static_cast<double>(moves.sums_.here[first_weight + at]);
      const double before = static_cast<double>(moves.loads.weights[at]) - came;
      const double accepted =
          std::max(limit - before, 0.0) + excess * limit + some * moves.mean_weight(c);
      if (came > accepted) factor = std::min(factor, accepted / came);
    }
    return factor;
  }
  // In graphs like social networks, nearly all vertices may want to enter one part at once. On
  // meshes hardly any admission changes. One of two parts can get half of the vertices only, and
  // then such a round pays.
  void set_admissions() const {
    constexpr double least = 0x1p-16;  // from there an admission grows again
    if (moves.goal.parts <= 2) return;
    std::vector<std::uint32_t>& admissions = moves.loads.admissions;
    bool has_changed = false;
    for (std::size_t p = 0; p < admissions.size(); ++p) {
      const double share = admission_change(p) * admissions[p] / all_admitted;
      const std::uint32_t next = admission_of(std::max(share, least));
      has_changed = has_changed || next != admissions[p];
      admissions[p] = next;
    }
    if (!has_changed) return;
    copy_bytes(space(), moves.loads.admissions_there.data(), moves.loads.admissions_there.memory(),
               admissions.data(), MemoryKind::host, moves.loads.admissions_there.bytes());
    space().fence(moves_label);
  }
  void tell_weights() const {
    copy_bytes(space(), moves.loads.weights_there.data(), moves.loads.weights_there.memory(),
               moves.loads.weights.data(), MemoryKind::host, moves.loads.weights_there.bytes());
    copy_bytes(space(), moves.loads.lumps_there.data(), moves.loads.lumps_there.memory(),
               moves.loads.lumps.data(), MemoryKind::host, moves.loads.lumps_there.bytes());
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
    const auto parts = static_cast<std::size_t>(goal.parts);
    remembered_.weights.reserve(parts * static_cast<std::size_t>(goal.constraints));
    remembered_.lumps.reserve(parts);
  });
  vote_between(*communicator, ready);
  work.add_sums({}, 0);
  remembered_.worth = worth;
  remembered_.weights = loads.weights;
  remembered_.lumps = loads.lumps;
  remembered_.border = lists.border.size();
}

double Moves::excess_of(std::size_t part, std::size_t constraint) const noexcept {
  const auto limit = static_cast<double>(goal.limit_of(part, constraint));
  const std::int64_t weight =
      loads.weights[part * static_cast<std::size_t>(goal.constraints) + constraint];
  return (static_cast<double>(weight) - limit) / std::max(limit, 1.0);
}

double Moves::excess() const noexcept {
  double greatest = -1;
  for (std::size_t p = 0; p < static_cast<std::size_t>(goal.parts); ++p)
    for (std::size_t c = 0; c < static_cast<std::size_t>(goal.constraints); ++c)
      greatest = std::max(greatest, excess_of(p, c));
  return greatest;
}

double Moves::mean_weight(std::size_t constraint) const noexcept {
  return static_cast<double>(goal.totals[constraint]) /
         static_cast<double>(std::max<std::int64_t>(level->all_vertices, 1));
}

std::int64_t Moves::upset_parts() const noexcept {
  constexpr double flood = 3;  // limits of an average part
  const auto constraints = static_cast<std::size_t>(goal.constraints);
  std::int64_t count = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(goal.parts); ++p) {
    bool is_empty = true, is_flooded = false;
    for (std::size_t c = 0; c < constraints; ++c) {
      const std::int64_t weight = loads.weights[p * constraints + c];
      is_empty = is_empty && weight == 0;
      is_flooded = is_flooded || static_cast<double>(weight - goal.limit_of(p, c)) >
                                     flood * static_cast<double>(goal.limits[c]);
    }
    count += is_empty || is_flooded ? 1 : 0;
  }
  return count;
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
  level->ghosts.refresh(vertices.parts, 1, ready);
  ready = attempt(moves_stage, [&] {
    with_space(level->space, [&](const auto& instance) { work.account(instance); });
  });
  const std::int64_t moved = work.add_sums(ready, lists.movers.size());
  if (are_locked) work.set_admissions();
  ++step;
  return moved;
}

void Moves::remember() {
  remembered_.worth = worth;
  remembered_.weights = loads.weights;
  remembered_.lumps = loads.lumps;
  const Work work{*this};
  with_space(level->space, [&](const auto& instance) { work.keep_border(instance); });
  exec::for_each(
      level->space, moves_label, remembered_.changed.size(),
      SettleMovers{remembered_.changed.data(), vertices.parts.data(), remembered_.parts.data()});
  level->space.fence(moves_label);
  remembered_.changed.clear();
}

void Moves::restore() {
  worth = remembered_.worth;
  loads.weights = remembered_.weights;
  loads.lumps = remembered_.lumps;
  exec::for_each(
      level->space, moves_label, remembered_.changed.size(),
      SettleMovers{remembered_.changed.data(), remembered_.parts.data(), vertices.parts.data()});
  exec::for_each(
      level->space, moves_label, remembered_.changed.size(),
      SettleMovers{remembered_.changed.data(), vertices.parts.data(), vertices.origins.data()});
  level->space.fence(moves_label);
  remembered_.changed.clear();
  level->ghosts.refresh(vertices.parts);
  exec::for_each(
      level->space, moves_label, level->ghost_count(),
      exec::Copy{vertices.parts.data() + level->owned, vertices.origins.data() + level->owned});
  const Work work{*this};
  work.tell_weights();
  with_space(level->space, [&](const auto& instance) { work.reset_choices(instance); });
  level->space.fence(moves_label);
}

}  // namespace evenkeel::graphs
