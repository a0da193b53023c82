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
  explicit Milestones(std::function<void(double)> tell) : tell_(std::move(tell)) {}

  // Call this after each level has been made, beginning with the finest.
  void made(std::int64_t vertices) {
    if (all_ == 0) guessed_ = 2 * vertices;
    all_ += vertices;
    tell(static_cast<double>(all_ - vertices) / static_cast<double>(std::max(guessed_, all_)) / 3);
  }
  void refined(std::int64_t vertices) {
    refined_ += vertices;
    tell((1 + 2 * static_cast<double>(refined_) / static_cast<double>(all_)) / 3);
  }

 private:
  void tell(double done) const {
    if (tell_) tell_(done);
  }

  std::function<void(double)> tell_;
  std::int64_t guessed_ = 0, all_ = 0, refined_ = 0;
};

struct FixedOrHome {
  const int *fixed, *homes;
  int* parts;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    parts[v] = fixed != nullptr && fixed[v] >= 0 ? fixed[v] : homes[v];
  }
};

// Returns the parts of a level's vertices and ghosts, given the parts of the gathered graph.
exec::Array<int> scattered(const Level& level, const HostGraph& graph,
                           const std::vector<int>& parts) {
  const std::vector<std::uint64_t> names = level.names.on_host();
  std::vector<int> mine;
  mine.reserve(names.size());
  for (const std::uint64_t name : names) {
    const auto found = std::lower_bound(graph.names.begin(), graph.names.end(), name);
    mine.push_back(parts[static_cast<std::size_t>(found - graph.names.begin())]);
  }
  return {level.space, multilevel_label, std::span<const int>(mine)};
}

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

struct Candidate {
  std::vector<int> parts;
  double excess = std::numeric_limits<double>::infinity();
  std::int64_t objective = std::numeric_limits<std::int64_t>::max();
};

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

// Returns the best of several cuts of the coarsest level. Local; the result is the same on all
// ranks.
std::vector<int> start_of(const HostGraph& graph, const Goal& exact, const MultilevelPlan& plan) {
  const Goal goal = goal_of_level(exact, graph.size(), false);
  const Communicator self = Communicator::self();
  const Level level = level_of(graph);
  const Apart apart = set_apart(graph, goal);
  const Seated seated = with_seats(apart.rest, apart.goal);
  Candidate best;
  for (int start = 0; start < plan.starts; ++start) {
    const std::vector<int> parts = bisected_apart(
        apart, seated, graph.size(), static_cast<std::uint64_t>(start) + 1, plan.tries);
    Moves moves(self, {}, level, goal,
                {level.space, multilevel_label, std::span<const int>(parts)});
    refine(moves, plan.patience, false);
    const double excess = std::max(moves.excess(), 0.0);
    const std::int64_t objective = moves.worth.objective();
    if (excess > best.excess || (excess == best.excess && objective >= best.objective)) continue;
    best = {moves.vertices.parts.on_host(), excess, objective};
  }
  return best.parts;
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

constexpr std::size_t many_levels = 64;  // more than nearly all graphs have

Moves cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const MultilevelPlan& plan, exec::Array<int> given) {
  Milestones milestones(plan.progress);
  std::vector<Contracted> coarser;
  const auto level_at = [&](std::size_t depth) -> const Level& {
    return depth == 0 ? finest : coarser[depth - 1].level;
  };
  const Status room = attempt(stage_name, [&] { coarser.reserve(many_levels); });
  vote(communicator, status.ok() ? room : status);
  const std::int64_t smallest = std::max<std::int64_t>(
      plan.smallest, static_cast<std::int64_t>(plan.vertices_per_part) * goal.parts);
  PerConstraint heaviest = {};
  for (std::size_t c = 0; c < heaviest.size(); ++c)
    heaviest[c] = std::max<std::int64_t>(goal.totals[c] / smallest * 3 / 2, 1);
  Status told = attempt(stage_name, [&] { milestones.made(finest.all_vertices); });
  while (plan.is_coarsened && level_at(coarser.size()).all_vertices > smallest) {
    const Level& fine = level_at(coarser.size());
    const exec::Array<Address> leaders =
        clusters_of(communicator, std::exchange(told, {}), fine, heaviest);
    Contracted next = contract(communicator, {}, fine, leaders);
    const bool shrinks = static_cast<double>(next.level.all_vertices) <
                         least_shrinkage * static_cast<double>(fine.all_vertices);
    if (!shrinks) break;
    told = attempt(stage_name, [&] { milestones.made(next.level.all_vertices); });
    if (plan.companion != nullptr) plan.companion->follow(fine, next);
    coarser.push_back(std::move(next));
  }

  exec::Array<int> parts = std::move(given);
  const Level& coarsest = level_at(coarser.size());
  if (plan.start == Start::homes) {
    vote(communicator,
         attempt(stage_name, [&] { parts = fixed_or(coarsest, coarsest.wishes.homes); }));
    // A part that was empty gets one vertex as a seed; refinement will bring more weight to it.
    fill_empty(communicator, coarsest, goal.parts, parts, Volunteers::seeds);
  }
  if (plan.start == Start::anew) {
    const HostGraph graph = gathered(communicator, coarsest);
    vote(communicator, attempt(stage_name, [&] {
           parts = scattered(coarsest, graph, start_of(graph, goal, plan));
         }));
  }
  const auto refined = [&](std::size_t depth) {
    const Level& level = level_at(depth);
    Moves moves(communicator, std::exchange(told, {}), level,
                goal_of_level(goal, level.all_vertices, depth == 0), std::move(parts));
    if (plan.companion != nullptr)
      plan.companion->refine(moves, plan.patience, depth == 0);
    else
      refine(moves, plan.patience, depth == 0);
    return moves;
  };
  for (; !coarser.empty(); coarser.pop_back()) {
    parts = refined(coarser.size()).vertices.parts;
    told = attempt(stage_name, [&] { milestones.refined(coarser.back().level.all_vertices); });
    vote(communicator, attempt(stage_name, [&] {
           parts = projected(finest.space, coarser.back().coarse_of, parts);
         }));
  }
  return refined(0);
}

}  // namespace evenkeel::graphs
