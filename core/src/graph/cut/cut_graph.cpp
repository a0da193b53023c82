// The steps of a graph cut: read the graph, join vertices that must stay together, make a first
// cut, improve it on all levels, fill empty parts, report.

#include "graph/cut/multilevel.hpp"
#include "graph/cut/report.hpp"
#include "graph/levels/arrange.hpp"
#include "graph/levels/atomics.hpp"
#include "graph/levels/contract.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace evenkeel {

namespace graphs {

namespace {

constexpr const char* cut_graph_label = "evenkeel::graph";

struct WeighsMore {
  const std::int64_t* weights;
  int constraints;
  std::int64_t weight;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    return weights[v * constraints] > weight;
  }
};

// Collective. Returns all weights in a constraint that are above `least`, in descending order;
// nothing if there are very many.
std::vector<std::int64_t> weights_above(const Communicator& communicator, const Level& level,
                                        std::size_t constraint, std::int64_t least) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  std::vector<std::int64_t> mine;
  const Status found = attempt(stage_name, [&] {
    std::vector<std::int64_t> places =
        exec::numbers_that(level.space, cut_graph_label, level.owned,
                           WeighsMore{level.weights.data() + constraint, level.constraints, least})
            .on_host();
    for (std::int64_t& place : places)
      place = place * level.constraints + static_cast<std::int64_t>(constraint);
    mine = exec::picked(level.weights, cut_graph_label, places);
  });
  vote(communicator, found);
  if (communicator.all_reduce(std::ssize(mine) + std::int64_t{0}, Reduction::sum) > most) return {};
  std::vector<std::int64_t> all =
      all_gather(communicator, {}, std::span<const std::int64_t>(mine)).values;
  std::sort(all.begin(), all.end(), std::greater<>());
  return all;
}

// The speed of each part / the mean speed.
std::shared_ptr<const std::vector<double>> shares_of(std::span<const double> speeds) {
  const double mean = SpeedsBefore(speeds).all() / static_cast<double>(speeds.size());
  auto shares = std::make_shared<std::vector<double>>();
  for (const double speed : speeds) shares->push_back(speed / mean);
  return shares;
}

// Collective.
Goal goal_for(const Communicator& communicator, int parts, const Level& level,
              const GraphRead& read, const CutWishes& wishes, const PerConstraint& heaviest) {
  const double target_lambda = wishes.target_lambda;
  Goal goal;
  goal.parts = parts;
  if (!wishes.speeds.empty())
    vote(communicator, attempt(stage_name, [&] { goal.shares = shares_of(wishes.speeds); }));
  goal.constraints = level.constraints;
  goal.totals = read.totals;
  for (std::size_t c = 0; c < static_cast<std::size_t>(level.constraints); ++c) {
    const double average = static_cast<double>(goal.totals[c]) / parts;
    const auto wanted = static_cast<std::int64_t>(
        std::min(average * target_lambda, static_cast<double>(goal.totals[c])));
    ClusterWeights clusters{level.all_vertices, goal.totals[c], heaviest[c], {}};
    // If all clusters are lighter than the room above the average, each of them fits into the
    // lightest part, and so the limit can be met.
    const std::int64_t room = wanted - static_cast<std::int64_t>(average);
    if (heaviest[c] > room && !clusters.are_equal())
      clusters.heavy = weights_above(communicator, level, c, room);
    goal.bottlenecks[c] = goal.has_equal_parts() ? least_bottleneck(clusters, parts)
                                                 : least_bottleneck(clusters, *goal.shares);
    goal.limits[c] = std::max(wanted, goal.bottlenecks[c]);
  }
  goal.beside_lump = goal.limits[0];
  return goal;
}

struct IsLump {
  const std::int64_t* weights;
  int constraints;
  std::int64_t lump;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    return weights[v * constraints] >= lump ? 1 : 0;
  }
};

// Collective. Returns the least weight of a lump (see Goal::lump). Returns 0 if there is no lump,
// or if there are more lumps than parts, because some part must then have two.
std::int64_t lump_of(const Communicator& communicator, const Level& level, const Goal& goal,
                     const PerConstraint& heaviest) {
  const std::int64_t lump = goal.limits[0] / 2 + 1;
  if (heaviest[0] < lump || !goal.has_equal_parts()) return 0;
  std::int64_t lumps = 0;
  vote(communicator, attempt(stage_name, [&] {
         lumps = exec::sum<std::int64_t>(level.space, level.owned,
                                         IsLump{level.weights.data(), level.constraints, lump});
       }));
  return communicator.all_reduce(lumps, Reduction::sum) <= goal.parts ? lump : 0;
}

// If `goes_on` is set, the cut begins with the present parts of vertices. The next cut will begin
// with the result of this cut, so more iterations pay.
MultilevelPlan plan_for(Effort effort, bool goes_on) {
  MultilevelPlan plan;
  if (effort == Effort::best) plan.cuts = 4;
  if (effort >= Effort::good) return plan;
  if (effort == Effort::polish) {  // all improvement is made on the finest level
    plan.is_coarsened = false;
    plan.patience.gain = goes_on ? 0.003 : 0.01;
    plan.patience.iterations = goes_on ? 3 : 2;
    plan.patience.most_iterations = goes_on ? 6 : 3;
    return plan;
  }
  plan.patience.gain = goes_on ? 0.005 : 0.02;
  plan.patience.iterations = goes_on ? 3 : 2;
  plan.starts = 1;
  return plan;
}

// --- The begin of a cut --------------------------------------------------------------------------

// A vertex without a part takes the part of a neighbour: the part to which its edges have the
// greatest total weight. If the row is long, it takes the part at the other end of its heaviest
// edge. Neither choice depends on the order of the row.
struct Adopt {
  RowsView rows;
  const std::uint64_t* names;
  const int* before;
  int* after;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    constexpr std::int64_t longest = 64;
    const std::int64_t begin = rows.offsets[v], end = rows.offsets[v + 1];
    if (before[v] >= 0)
      after[v] = before[v];
    else
      after[v] = end - begin > longest ? of_heaviest(begin, end) : of_most(begin, end);
  }
  KOKKOS_FUNCTION int of_most(std::int64_t begin, std::int64_t end) const {
    int most = nowhere;
    std::int64_t best = 0;
    for (std::int64_t e = begin; e < end; ++e) {
      const int part = before[rows.columns[e]];
      if (part < 0) continue;
      std::int64_t weight = 0;
      for (std::int64_t f = begin; f < end; ++f)
        if (before[rows.columns[f]] == part) weight += rows.weights[f];
      if (weight < best || (weight == best && part > most)) continue;
      best = weight;
      most = part;
    }
    return most;
  }
  KOKKOS_FUNCTION int of_heaviest(std::int64_t begin, std::int64_t end) const {
    Vertex heaviest = nowhere;
    EdgeUnits best = 0;
    for (std::int64_t e = begin; e < end; ++e) {
      const Vertex u = rows.columns[e];
      if (before[u] < 0 || rows.weights[e] < best) continue;
      if (rows.weights[e] == best && heaviest >= 0 && names[u] > names[heaviest]) continue;
      best = rows.weights[e];
      heaviest = u;
    }
    return heaviest < 0 ? nowhere : before[heaviest];
  }
};
struct ByLot {
  const std::uint64_t* names;
  int parts;
  int* homes;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (homes[v] < 0) homes[v] = static_cast<int>(names[v] % static_cast<std::uint64_t>(parts));
  }
};
struct AsReal {
  const std::int64_t* units;
  int constraints;
  double* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    weights[v] = static_cast<double>(units[v * constraints]);
  }
};

// Collective. Gives each vertex without a home the home of a neighbour.
void complete_homes(const Communicator& communicator, Level& level, int parts) {
  constexpr int most_rounds = 8;
  for (int round = 0; round <= most_rounds; ++round) {
    std::int64_t homeless = 0;
    vote(communicator, attempt(stage_name, [&] {
           homeless = exec::sum<std::int64_t>(level.space, level.owned,
                                              exec::IsBelow{level.wishes.homes.data(), 0});
         }));
    if (communicator.all_reduce(homeless, Reduction::sum) == 0) return;
    vote(communicator, attempt(stage_name, [&] {
           if (round == most_rounds) {
             exec::for_each(level.space, cut_graph_label, level.owned,
                            ByLot{level.names.data(), parts, level.wishes.homes.data()});
           } else {
             exec::Array<int> after(level.space, cut_graph_label, level.local());
             exec::for_each(level.space, cut_graph_label, level.owned,
                            Adopt{RowsView(level.rows), level.names.data(),
                                  level.wishes.homes.data(), after.data()});
             level.space.fence(cut_graph_label);
             level.wishes.homes = std::move(after);
           }
         }));
    level.ghosts.refresh(level.wishes.homes);
  }
}

// Collective. Returns parts of even weight along a curve through the positions. If `is_even` is
// set, all vertices weigh the same.
exec::Array<int> parts_along_curve(const Communicator& communicator, const Level& level,
                                   int dimensions, int parts, std::span<const double> speeds,
                                   bool is_even) {
  exec::Array<int> found;
  exec::Array<double> weights;
  const auto* keys = reinterpret_cast<const CurveKey*>(level.keys.data());
  Status ready = attempt(stage_name, [&] {
    found = {level.space, cut_graph_label, level.local()};
    if (is_even) return;
    weights = {level.space, cut_graph_label, level.owned};
    exec::for_each(level.space, cut_graph_label, level.owned,
                   AsReal{level.weights.data(), level.constraints, weights.data()});
    level.space.fence(cut_graph_label);
  });
  const WeightedKeys weighted{
      {keys, static_cast<std::size_t>(level.owned)}, weights.span(), exec::memory_of(level.space)};
  const Cut cut = evenkeel::cut({communicator, ready}, std::span(&weighted, 1),
                                {.parts = parts, .dimensions = dimensions, .speeds = speeds});
  ready = attempt(stage_name, [&] {
    write_owners(level.space, cut.splitters, keys, level.owned, found.data());
    level.space.fence(cut_graph_label);
    if (level.wishes.has_fixed) found = fixed_or(level, found);
  });
  level.ghosts.refresh(found, 1, ready);
  return found;
}

// Collective. Returns the greatest weight of a vertex in each constraint.
PerConstraint heaviest_of(const Communicator& communicator, const Level& level) {
  PerConstraint heaviest = {};
  vote(communicator, attempt(stage_name, [&] {
         if (level.owned == 0) return;
         for (int c = 0; c < level.constraints; ++c)
           heaviest[static_cast<std::size_t>(c)] =
               exec::extremes<std::int64_t>(
                   level.space, level.owned,
                   exec::OneOfSeveral{level.weights.data() + c, level.constraints})
                   .greatest;
       }));
  communicator.all_reduce(std::span<std::int64_t>(heaviest), Reduction::greatest);
  return heaviest;
}

}  // namespace

GraphCut cut_read(const Communicator& communicator, GraphRead& read, int parts,
                  const CutWishes& wishes) {
  const Space space = read.level.space;
  if (read.has_homes) complete_homes(communicator, read.level, parts);

  Contracted together;
  if (read.has_uncuttable) together = contract(communicator, {}, read.level, read.uncuttable);
  Level& level = read.has_uncuttable ? together.level : read.level;
  const PerConstraint heaviest = heaviest_of(communicator, level);
  Goal goal = goal_for(communicator, parts, level, read, wishes, heaviest);
  goal.lump = lump_of(communicator, level, goal, heaviest);

  // All ranks decide the same here: either all ranks have homes and keys, or no rank has them.
  MultilevelPlan plan = plan_for(wishes.effort, read.has_homes);
  exec::Array<int> current;
  if (read.has_homes) {
    plan.start = Start::homes;
  } else if (read.has_keys && wishes.companion == nullptr) {
    current = parts_along_curve(communicator, level, read.dimensions, parts, wishes.speeds,
                                !read.has_weights && !read.has_uncuttable);
    if (wishes.effort == Effort::polish)
      plan.start = Start::given;
    else
      plan.has_other = true;
  } else if (wishes.effort == Effort::polish) {  // there are no homes or keys, so there is no cut
                                                 // to polish
    plan = plan_for(Effort::fast, false);
  }
  plan.progress.tell = wishes.progress;
  plan.companion = wishes.companion;
  if (plan.companion != nullptr) plan.cuts = 1;  // a companion is coarsened only once
  plan.patience.cools = !read.has_homes && plan.companion == nullptr;
  if (plan.patience.cools) plan.patience.iterations = std::min(plan.patience.iterations, 3);
  std::optional<Contracted> other;  // the level with its vertices in another order
  if (plan.is_coarsened && plan.companion == nullptr) other = arranged(communicator, level);
  if (other && plan.has_other) current = restricted(level, *other, current);
  if (other) level = std::move(other->level);
  Moves moves = cut_levels(communicator, {}, level, goal, plan, std::move(current));
  const bool are_filled = fill_empty(communicator, moves);
  const auto take_back = [&](const exec::Array<Vertex>& coarse_of) {
    vote(communicator, attempt(stage_name, [&] {
           moves.vertices.parts = projected(space, coarse_of, moves.vertices.parts);
         }));
  };
  if (read.has_uncuttable) {
    if (other) take_back(other->coarse_of);
    take_back(together.coarse_of);
  }
  // Otherwise `moves` is of the finest level, and describes the final parts already.
  if (are_filled || read.has_uncuttable || level.wishes.has_fixed)
    moves = surveyed(communicator, read, goal, std::move(moves.vertices.parts));
  GraphCut cut;
  cut.report = report_of(communicator, read, moves, goal);
  if (other && !read.has_uncuttable) take_back(other->coarse_of);
  cut.parts = std::move(moves.vertices.parts);
  cut.parts.resize(read.level.owned);
  if (read.unscaled) cut.report.cut = cut_weight(space, communicator, *read.unscaled, cut.parts);
  return cut;
}

GraphReport report_on(const Communicator& communicator, GraphRead& read, int parts,
                      const CutWishes& wishes, const exec::Array<int>& found) {
  const Level& level = read.level;
  exec::Array<int> all;
  const Status copied = attempt(stage_name, [&] {
    all = {level.space, cut_graph_label, level.local()};
    exec::for_each(level.space, cut_graph_label, level.owned, exec::Copy{found.data(), all.data()});
    level.space.fence(cut_graph_label);
  });
  level.ghosts.refresh(all, 1, copied);
  const Goal goal =
      goal_for(communicator, parts, level, read, wishes, heaviest_of(communicator, level));
  Moves moves = surveyed(communicator, read, goal, std::move(all));
  return report_of(communicator, read, moves, goal);
}

}  // namespace graphs

const char* name_of(Effort effort) noexcept {
  switch (effort) {
    case Effort::polish: return "polish";
    case Effort::fast: return "fast";
    case Effort::good: return "good";
    case Effort::best: return "best";
  }
  return "?";
}

GraphCut cut_graph(const Space& space, const Communicator& communicator, const Graph& graph,
                   const GraphCutOptions& options, const ByGraph& method) {
  const exec::Region shown("evenkeel::graph");
  if (!options.memory.empty()) {
    graphs::Given given = graphs::given_graph(space, communicator, graph, options, method);
    GraphCut cut = graphs::cut_within_memory(space, communicator, given, options, method);
    if (const auto edges = graphs::unscaled_edges(std::move(given)))
      cut.report.cut = graphs::cut_weight(space, communicator, *edges, cut.parts);
    return cut;
  }
  const int parts = options.parts > 0 ? options.parts : communicator.size();
  graphs::GraphRead read = graphs::read_graph(space, communicator, graph, options, method);
  return graphs::cut_read(communicator, read, parts,
                          {.effort = method.effort,
                           .target_lambda = method.target_lambda,
                           .speeds = unless_equal(options.speeds),
                           .progress = &options.progress});
}

}  // namespace evenkeel
