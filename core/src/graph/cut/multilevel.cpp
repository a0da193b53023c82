#include "graph/cut/multilevel.hpp"
#include "graph/stage.hpp"

#include "graph/cut/report.hpp"
#include "graph/first/host_graph.hpp"
#include "graph/improve/refine.hpp"
#include "graph/levels/cluster.hpp"

#include <evenkeel/backends/exec/bodies.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* multilevel_label = "evenkeel::graph::multilevel";

constexpr double least_shrinkage = 0.95;

// Reports to the application how much of a cut is done. It estimates the work on a level from the
// number of its vertices, and assumes that refining a level takes twice as long as coarsening it.
class Milestones {
 public:
  explicit Milestones(const Progress& tell) : tell_(tell) {}

  // Call this after each level has been made, beginning with the finest.
  void made(std::int64_t vertices) {
    if (all_ == 0) guessed_ = 2 * vertices;
    all_ += vertices;
    tell_(static_cast<double>(all_ - vertices) / static_cast<double>(std::max(guessed_, all_)) / 3);
  }
  void refined(std::int64_t vertices) {
    refined_ += vertices;
    tell_((1 + 2 * static_cast<double>(refined_) / static_cast<double>(all_)) / 3);
  }

 private:
  Progress tell_;
  std::int64_t guessed_ = 0, all_ = 0, refined_ = 0;
};

struct FixedOrHome {
  const int *fixed, *homes;
  int* parts;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    parts[v] = fixed != nullptr && fixed[v] >= 0 ? fixed[v] : homes[v];
  }
};

// A part that weighs less than this share of the average loses no vertex, so that no part vanishes.
constexpr double lightest_part = 0.75;

// Returns the goal for a level. Coarse vertices are too large to fill parts exactly, so on coarser
// levels the limits are raised by half of the mean weight of a vertex.
Goal goal_of_level(const Goal& exact, std::int64_t vertices, bool is_finest) {
  Goal goal = exact;
  for (std::size_t c = 0; c < goal.limits.size(); ++c) {
    const std::int64_t total = goal.totals[c];
    goal.floors[c] =
        static_cast<std::int64_t>(lightest_part * static_cast<double>(total) / goal.parts);
    if (is_finest) continue;
    PerConstraint& raised = goal.has_equal_parts() ? goal.limits : goal.raises;
    raised[c] += total / std::max<std::int64_t>(vertices, 1) / 2;
  }
  return goal;
}

// A graph with one more constraint, which keeps vertices that weigh more than half the limit of a
// part in different parts. Each such vertex weighs one unit in this constraint, and each part has
// room for one unit. If parts differ in speed, the graph stays as it is.
struct Seated {
  HostGraph graph;
  Goal goal;
};
Seated with_seats(const HostGraph& graph, const Goal& goal) {
  Seated seated{graph, goal};
  std::vector<std::int64_t> seats(static_cast<std::size_t>(graph.size()), 0);
  std::int64_t taken = 0;
  for (std::int64_t v = 0; v < graph.size(); ++v)
    if (graph.weight(v, 0) > goal.limits[0] / 2) {
      seats[static_cast<std::size_t>(v)] = 1;
      ++taken;
    }
  const auto seat = static_cast<std::size_t>(graph.constraints);
  if (taken == 0 || taken > goal.parts || seat == most_constraints || !goal.has_equal_parts())
    return seated;
  seated.graph.constraints = seated.goal.constraints = graph.constraints + 1;
  seated.goal.totals[seat] = taken;
  seated.goal.limits[seat] = 1;
  seated.graph.weights.clear();
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    for (int c = 0; c < graph.constraints; ++c) seated.graph.weights.push_back(graph.weight(v, c));
    seated.graph.weights.push_back(seats[static_cast<std::size_t>(v)]);
  }
  return seated;
}

// A lump (goal.hpp) that nearly fills a part leaves no room for another vertex of this level. Such
// a lump gets a part of its own, and the other vertices (`rest`) are cut into the remaining parts.
// If these parts would have too little room, if vertices are fixed, or if parts differ in speed, no
// lump is set apart, and `rest` is the whole graph.
struct Apart {
  HostGraph rest;
  Goal goal;
  std::vector<Vertex> of_rest;  // their indices in the whole graph
  std::vector<Vertex> alone;
};
Apart set_apart(const HostGraph& graph, const Goal& goal) {
  constexpr double nearly = 0.9;
  const auto fills = static_cast<std::int64_t>(nearly * static_cast<double>(goal.limits[0]));
  Apart apart;
  apart.goal = goal;
  std::int64_t rest_weight = goal.totals[0];
  std::vector<Vertex> place(static_cast<std::size_t>(graph.size()), -1);
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.weight(v, 0) > fills) {
      rest_weight -= graph.weight(v, 0);
      apart.alone.push_back(v);
    } else {
      place[static_cast<std::size_t>(v)] = static_cast<Vertex>(apart.of_rest.size());
      apart.of_rest.push_back(v);
    }
  }
  const std::int64_t parts = goal.parts - std::ssize(apart.alone);
  const bool has_room =
      parts > 0 && !apart.of_rest.empty() && rest_weight / parts <= goal.beside_lump;
  if (apart.alone.empty() || !has_room || !graph.fixed.empty() || !goal.has_equal_parts()) {
    apart.alone.clear();
    apart.rest = graph;
    apart.of_rest.resize(static_cast<std::size_t>(graph.size()));
    std::iota(apart.of_rest.begin(), apart.of_rest.end(), Vertex{0});
    return apart;
  }
  apart.goal.parts = static_cast<int>(parts);
  for (const Vertex v : apart.alone)
    for (int c = 0; c < graph.constraints; ++c)
      apart.goal.totals[static_cast<std::size_t>(c)] -= graph.weight(v, c);
  HostGraph& rest = apart.rest;
  rest.constraints = graph.constraints;
  rest.offsets.push_back(0);
  for (const Vertex v : apart.of_rest) {
    const auto at = static_cast<std::size_t>(v);
    for (auto e = static_cast<std::size_t>(graph.offsets[at]);
         e < static_cast<std::size_t>(graph.offsets[at + 1]); ++e) {
      const Vertex u = place[static_cast<std::size_t>(graph.columns[e])];
      if (u < 0) continue;
      rest.columns.push_back(u);
      rest.edges.push_back(graph.edges[e]);
    }
    rest.offsets.push_back(std::ssize(rest.columns));
    rest.names.push_back(graph.names[at]);
    for (int c = 0; c < graph.constraints; ++c) rest.weights.push_back(graph.weight(v, c));
  }
  return apart;
}

std::vector<int> bisected_apart(const Apart& apart, const Seated& seated, std::int64_t vertices,
                                std::uint64_t seed, int tries) {
  const std::vector<int> of_rest = bisected(seated.graph, seated.goal, seed, tries);
  std::vector<int> parts(static_cast<std::size_t>(vertices), 0);
  for (std::size_t i = 0; i < of_rest.size(); ++i)
    parts[static_cast<std::size_t>(apart.of_rest[i])] = of_rest[i];
  int next = apart.goal.parts;
  for (const Vertex v : apart.alone) parts[static_cast<std::size_t>(v)] = next++;
  return parts;
}

bool is_better(const Moves& one, const Moves& other) {
  const double excess = std::max(one.excess(), 0.0), its = std::max(other.excess(), 0.0);
  return excess != its ? excess < its : one.worth.objective() < other.worth.objective();
}

// Returns the best of several cuts of the coarsest level. Local; the result is the same on all
// ranks.
std::vector<int> start_of(const HostGraph& graph, const Goal& exact, const MultilevelPlan& plan) {
  const Goal goal = goal_of_level(exact, graph.size(), false);
  const Apart apart = set_apart(graph, goal);
  const Seated seated = with_seats(apart.rest, apart.goal);
  const auto made = [&](int start) {
    return bisected_apart(apart, seated, graph.size(),
                          plan.seed * 64 + static_cast<std::uint64_t>(start), plan.tries);
  };
  if (plan.starts == 1) return made(1);
  const Communicator self = Communicator::self();
  const Level level = level_of(graph);
  std::optional<Moves> best;
  for (int start = 1; start <= plan.starts; ++start) {
    const std::vector<int> parts = made(start);
    Moves moves(self, {}, level, goal,
                {level.space, multilevel_label, std::span<const int>(parts)});
    refine(moves, plan.patience, false);
    if (!best || is_better(moves, *best)) best.emplace(std::move(moves));
  }
  return best->vertices.parts.on_host();
}

}  // namespace

exec::Array<int> projected(const Space& space, const exec::Array<Vertex>& coarse_of,
                           const exec::Array<int>& coarse) {
  exec::Array<int> fine(space, multilevel_label, coarse_of.size());
  exec::for_each(space, multilevel_label, fine.size(),
                 exec::Pick{coarse.data(), coarse_of.data(), fine.data()});
  space.fence(multilevel_label);
  return fine;
}

exec::Array<int> fixed_or(const Level& level, const exec::Array<int>& homes) {
  exec::Array<int> parts(level.space, multilevel_label, level.local());
  exec::for_each(level.space, multilevel_label, parts.size(),
                 FixedOrHome{!level.wishes.has_fixed ? nullptr : level.wishes.fixed.data(),
                             homes.data(), parts.data()});
  level.space.fence(multilevel_label);
  return parts;
}

namespace {

struct PartOfCluster {
  const Vertex* coarse_of;
  const int* parts;
  std::int64_t owned;
  int* coarse;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (coarse_of[v] < owned) coarse[coarse_of[v]] = parts[v];
  }
};

}  // namespace

exec::Array<int> restricted(const Level& fine, const Contracted& coarser,
                            const exec::Array<int>& parts) {
  const Level& level = coarser.level;
  exec::Array<int> coarse;
  const Status ready = attempt(stage_name, [&] {
    coarse = {level.space, multilevel_label, level.local()};
    exec::for_each(
        level.space, multilevel_label, fine.owned,
        PartOfCluster{coarser.coarse_of.data(), parts.data(), level.owned, coarse.data()});
    level.space.fence(multilevel_label);
  });
  level.ghosts.refresh(coarse, 1, ready);
  return coarse;
}

namespace {

// One descent to the coarsest level and back.
class Cycle {
 public:
  // Refers to its arguments.
  Cycle(const Communicator& communicator, const Level& finest, const Goal& goal,
        const MultilevelPlan& plan, exec::Array<int> given, exec::Array<int> together,
        HostGraph* gathered_finest = nullptr)
      : communicator_(communicator),
        finest_(finest),
        goal_(goal),
        plan_(plan),
        milestones_(plan.progress),
        parts_(std::move(given)),
        together_(std::move(together)),
        gathered_finest_(gathered_finest) {}

  // Collective.
  Moves run(const Status& status) {
    const Status room = attempt(stage_name, [&] { coarser_.reserve(many_levels); });
    vote(communicator_, status.ok() ? room : status);
    coarsen();
    begin();
    for (; !coarser_.empty(); coarser_.pop_back()) {
      parts_ = refined().vertices.parts;
      told_ = attempt(stage_name, [&] { milestones_.refined(coarsest().all_vertices); });
      vote(communicator_, attempt(stage_name, [&] {
             parts_ = projected(finest_.space, coarser_.back().coarse_of, parts_);
           }));
    }
    return refined();
  }

 private:
  const Level& coarsest() const { return coarser_.empty() ? finest_ : coarser_.back().level; }

  void coarsen() {
    const std::int64_t smallest =
        std::max(least_coarsest, std::int64_t{vertices_per_part} * goal_.parts);
    PerConstraint heaviest = {};
    for (std::size_t c = 0; c < heaviest.size(); ++c)
      heaviest[c] = std::max<std::int64_t>(goal_.totals[c] / smallest * 3 / 2, 1);
    told_ = attempt(stage_name, [&] { milestones_.made(finest_.all_vertices); });
    while (plan_.is_coarsened && coarsest().all_vertices > smallest) {
      const Level& fine = coarsest();
      const exec::Array<Address> leaders = clusters_of(communicator_, std::exchange(told_, {}),
                                                       fine, heaviest, together_, plan_.seed);
      Contracted next = contract(communicator_, {}, fine, leaders);
      const bool shrinks = static_cast<double>(next.level.all_vertices) <
                           least_shrinkage * static_cast<double>(fine.all_vertices);
      if (!shrinks) break;
      told_ = attempt(stage_name, [&] { milestones_.made(next.level.all_vertices); });
      if (plan_.companion != nullptr) plan_.companion->follow(fine, next);
      if (plan_.start == Start::given) {
        parts_ = restricted(fine, next, parts_);
        together_ = restricted(fine, next, together_);
      }
      coarser_.push_back(std::move(next));
    }
  }

  // The parts of the coarsest level.
  void begin() {
    const Level& level = coarsest();
    if (plan_.start == Start::homes) {
      vote(communicator_,
           attempt(stage_name, [&] { parts_ = fixed_or(level, level.wishes.homes); }));
      // A part that was empty gets one vertex as a seed; refinement will bring more weight to it.
      fill_empty(communicator_, level, goal_.parts, parts_, Volunteers::seeds);
    }
    if (plan_.start == Start::anew) {
      const HostGraph graph = gathered(communicator_, level);
      vote(communicator_, attempt(stage_name, [&] {
             parts_ = scattered(communicator_, level, graph, start_of(graph, goal_, plan_));
           }));
    }
  }

  Moves refined() {
    const Level& level = coarsest();
    const bool is_finest = coarser_.empty();
    Moves moves = moves_of(std::move(parts_));
    if (plan_.companion != nullptr)
      plan_.companion->refine(moves, plan_.patience, is_finest);
    else
      refine(moves, plan_.patience, is_finest);
    if (!is_searched()) return moves;
    HostGraph of_level;
    HostGraph& graph = is_finest ? *gathered_finest_ : of_level;
    if (graph.size() == 0) graph = gathered(communicator_, level);
    std::vector<int> parts = gathered(communicator_, level, graph, moves.vertices.parts);
    vote(communicator_, attempt(stage_name, [&] {
           search(graph, moves.goal, parts);
           parts_ = scattered(communicator_, level, graph, parts);
         }));
    return moves_of(std::move(parts_));
  }
  Moves moves_of(exec::Array<int> parts) {
    const Level& level = coarsest();
    return {communicator_, std::exchange(told_, {}), level,
            goal_of_level(goal_, level.all_vertices, coarser_.empty()), std::move(parts)};
  }
  // Returns true for the finest level that is small enough. On coarser ones a search gains little.
  bool is_searched() const {
    if (gathered_finest_ == nullptr || coarsest().all_vertices > plan_.most_searched) return false;
    if (coarser_.empty()) return true;
    const Level& finer = coarser_.size() == 1 ? finest_ : coarser_[coarser_.size() - 2].level;
    return finer.all_vertices > plan_.most_searched;
  }

  const Communicator& communicator_;
  const Level& finest_;
  const Goal& goal_;
  const MultilevelPlan& plan_;
  Milestones milestones_;
  Status told_;  // the result of the last call of the application
  std::vector<Contracted> coarser_;
  exec::Array<int> parts_;
  exec::Array<int> together_;   // only vertices with the same number are merged; may be empty
  HostGraph* gathered_finest_;  // empty before the first search; null if there is no search
};

// The vertices of one part in both of two cuts get the same number.
struct NumberCommonParts {
  const int *parts, *others;
  std::int64_t count;
  int* common;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    common[v] = static_cast<int>(parts[v] * count + others[v]);
  }
};

exec::Array<int> common_parts(int count, const exec::Array<int>& parts,
                              const exec::Array<int>& others) {
  exec::Array<int> common(parts.space(), multilevel_label, parts.size());
  exec::for_each(parts.space(), multilevel_label, common.size(),
                 NumberCommonParts{parts.data(), others.data(), count, common.data()});
  parts.space().fence(multilevel_label);
  return common;
}

constexpr int most_combined = 46'340;  // parts; the square of this number has 31 bits

}  // namespace

Moves cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const MultilevelPlan& plan, exec::Array<int> given) {
  const int cuts = goal.parts <= most_combined ? plan.cuts : 1;
  MultilevelPlan each = plan;
  each.progress.cycles = 2 * cuts - 1 + (plan.has_other && cuts > 1 ? 1 : 0);
  HostGraph gathered_finest;
  exec::Array<int> another;
  if (plan.has_other) std::swap(another, given);
  Moves best = Cycle(communicator, finest, goal, each, std::move(given), {}).run(status);
  for (int cut = plan.has_other ? 0 : 1; cut < cuts; ++cut) {
    each.seed = static_cast<std::uint64_t>(cut);
    if (cut > 0) ++each.progress.cycle;
    MultilevelPlan next = each;
    if (cut == 0) {
      next.start = Start::given;
      next.is_coarsened = false;
      next.progress = {};
    }
    Moves other = Cycle(communicator, finest, goal, next, std::exchange(another, {}), {}).run({});
    if (is_better(other, best)) std::swap(best, other);
    if (cuts == 1) break;
    ++each.progress.cycle;
    MultilevelPlan both = each;
    both.start = Start::given;
    exec::Array<int> parts, together;
    vote(communicator, attempt(stage_name, [&] {
           parts = best.vertices.parts;
           together = common_parts(goal.parts, parts, other.vertices.parts);
         }));
    other = Cycle(communicator, finest, goal, both, std::move(parts), std::move(together),
                  &gathered_finest)
                .run({});
    if (is_better(other, best)) best = std::move(other);
  }
  return best;
}

}  // namespace evenkeel::graphs
