#include "graph/multilevel.hpp"

#include "graph/cluster.hpp"
#include "graph/contract.hpp"
#include "graph/host_graph.hpp"
#include "graph/jet.hpp"
#include "graph/release.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace evenkeel::graph {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::multilevel";

// What Jet lets a vertex lose, of its connection to its own part, in the hope for its neighbours.
constexpr double loss_on_finest = 0.51, loss_on_coarser = 0.75;
constexpr double least_shrinkage = 0.95;

struct Project {
  const Vertex* coarse_of;
  const int* coarse;
  int* fine;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { fine[v] = coarse[coarse_of[v]]; }
};

exec::Array<int> projected(const Space& space, const exec::Array<Vertex>& coarse_of,
                           const exec::Array<int>& coarse) {
  exec::Array<int> fine(space, label, coarse_of.size());
  exec::for_each(space, label, fine.size(),
                 Project{coarse_of.data(), coarse.data(), fine.data()});
  space.fence(label);
  return fine;
}

struct Lap {
  std::chrono::steady_clock::time_point from = std::chrono::steady_clock::now();
  void operator()(const char* what, long long n, long long m) {
    static const bool on = std::getenv("EK_GRAPH_LAPS") != nullptr;
    const auto now = std::chrono::steady_clock::now();
    if (on) std::fprintf(stderr, "%-12s %9lld %9lld %8.2f ms\n", what, n, m, std::chrono::duration<double>(now - from).count() * 1e3);
    from = std::chrono::steady_clock::now();
  }
};

// The parts of a level's vertices and ghosts by those of the gathered graph.
exec::Array<int> scattered(const Level& level, const HostGraph& graph,
                           const std::vector<int>& parts) {
  const std::vector<std::uint64_t> names = level.names.on_host();
  std::vector<int> mine;
  mine.reserve(names.size());
  for (const std::uint64_t name : names) {
    const auto found = std::lower_bound(graph.names.begin(), graph.names.end(), name);
    mine.push_back(parts[static_cast<std::size_t>(found - graph.names.begin())]);
  }
  return {level.space, label, std::span<const int>(mine)};
}

// Coarse vertices are too large to fill parts exactly: a limit gives way by what one of them weighs.
Goal goal_of_level(const Goal& exact, std::int64_t vertices) {
  static const double f = std::getenv("EK_SLACK") ? std::atof(std::getenv("EK_SLACK")) : 0.5;
  Goal goal = exact;
  static const double fl = std::getenv("EK_FLOOR") ? std::atof(std::getenv("EK_FLOOR")) : 0.75;
  for (std::size_t c = 0; c < goal.limits.size(); ++c)
    goal.floors[c] = std::int64_t(fl * double(goal.totals[c] / goal.parts));
  if (vertices < 0) return goal;
  for (std::size_t c = 0; c < goal.limits.size(); ++c)
    goal.limits[c] += static_cast<std::int64_t>(f * double(goal.totals[c] / std::max<std::int64_t>(vertices, 1)));
  return goal;
}

struct Start {
  std::vector<int> parts;
  double excess = std::numeric_limits<double>::infinity();
  std::int64_t objective = std::numeric_limits<std::int64_t>::max();
};

// The best of several cuts of the coarsest level. Local; the same on all ranks.
std::vector<int> start_of(const HostGraph& graph, const Goal& exact, const Plan& plan) {
  const Goal goal = goal_of_level(exact, graph.size());
  const Communicator self = Communicator::self();
  const Level level = level_of(graph);
  Start best;
  for (int start = 0; start < plan.starts; ++start) {
    Lap lap;
    const std::vector<int> parts =
        bisected(graph, goal, static_cast<std::uint64_t>(start) + 1, plan.tries);
    lap("bisect", graph.size(), start);
    Moves moves(self, {}, level, goal, {level.space, label, std::span<const int>(parts)});
    const auto before = moves.worth.cut >> 10;
    refine(moves, plan.patience, false);
    lap("  refined", before, moves.worth.cut >> 10);
    const double excess = std::max(moves.excess(), 0.0);
    const std::int64_t objective = moves.worth.objective();
    if (excess > best.excess || (excess == best.excess && objective >= best.objective)) continue;
    best = {moves.parts.on_host(), excess, objective};
  }
  return best.parts;
}

}  // namespace

void refine(Moves& moves, const Patience& patience, bool is_finest) {
  const double loss = is_finest ? loss_on_finest : loss_on_coarser;
  if (moves.excess() > 0.05) level_out(moves);
  double best_excess = std::max(moves.excess(), 0.0);
  std::int64_t best = moves.worth.objective();
  moves.remember();
  int iterations = 0;
  for (int idle = 0; idle < patience.iterations;) {
    const std::int64_t moved = improve(moves, loss);
    for (int attempt = 0; attempt < 3 && moves.excess() > 0; ++attempt)
      if (relieve(moves) == 0) break;
    if (moves.excess() > 0 && best_excess > 0 && iterations % 8 == 4 && iterations < 24)
      level_out(moves);
    ++iterations;
    const double excess = std::max(moves.excess(), 0.0);
    const std::int64_t objective = moves.worth.objective();
    const bool is_better = excess < best_excess || (excess == best_excess && objective < best);
    const double gain = static_cast<double>(best - objective);
    idle = is_better && (excess < best_excess ||
                         gain > patience.gain * static_cast<double>(moves.worth.cut))
               ? 0
               : idle + 1;
    if (is_better) {
      best_excess = excess;
      best = objective;
      moves.remember();
    }
    if (moved == 0) break;
  }
  moves.restore();
  static const bool on = std::getenv("EK_GRAPH_LAPS") != nullptr;
  if (on) std::fprintf(stderr, "   %d iterations\n", iterations);
}

Parts cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const Plan& plan, exec::Array<int> current) {
  std::vector<Contracted> coarser;
  const auto level_at = [&](std::size_t depth) -> const Level& {
    return depth == 0 ? finest : coarser[depth - 1].level;
  };
  vote(communicator, status);
  Lap lap;
  const std::int64_t smallest = std::max<std::int64_t>(
      plan.smallest, static_cast<std::int64_t>(plan.vertices_per_part) * goal.parts);
  PerConstraint heaviest = {};
  for (std::size_t c = 0; c < heaviest.size(); ++c)
    heaviest[c] = std::max<std::int64_t>(goal.totals[c] / smallest * 3 / 2, 1);
  while (plan.is_coarsened && level_at(coarser.size()).all_vertices > smallest) {
    const Level& fine = level_at(coarser.size());
    const exec::Array<Address> leaders = clusters_of(communicator, {}, fine, heaviest);
    lap("cluster", fine.all_vertices, fine.rows.columns.size());
    Contracted next = contract(communicator, {}, fine, leaders);
    lap("contract", next.level.all_vertices, next.level.rows.columns.size());
    const bool shrinks = static_cast<double>(next.level.all_vertices) <
                         least_shrinkage * static_cast<double>(fine.all_vertices);
    if (!shrinks) break;
    coarser.push_back(std::move(next));
  }

  exec::Array<int> parts = std::move(current);
  if (parts.empty()) {
    const Level& coarsest = level_at(coarser.size());
    const HostGraph graph = gathered(communicator, coarsest);
    lap("gather", graph.size(), graph.offsets.back());
    vote(communicator, attempt(stage_name, [&] {
           parts = scattered(coarsest, graph, start_of(graph, goal, plan));
         }));
    lap("start", 0, 0);
  }
  Parts result;
  for (std::size_t depth = coarser.size() + 1; depth-- > 0;) {
    const Level& level = level_at(depth);
    Moves moves(communicator, {}, level,
                goal_of_level(goal, depth == 0 ? -1 : level.all_vertices), std::move(parts));
    refine(moves, plan.patience, depth == 0);
    lap("refine", level_at(depth).all_vertices, moves.worth.cut >> finer_bits);
    result.worth = moves.worth;
    result.weights = moves.weights;
    parts = std::move(moves.parts);
    if (depth == 0) break;
    vote(communicator, attempt(stage_name, [&] {
           parts = projected(level_at(depth - 1).space, coarser[depth - 1].coarse_of, parts);
         }));
    coarser.pop_back();
  }
  result.of_vertices = std::move(parts);
  return result;
}

}  // namespace evenkeel::graph
