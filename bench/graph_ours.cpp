#include "graph_method.hpp"

#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/graph.hpp>

namespace evenkeel::bench {
namespace {

GraphResult curve(const GraphProblem& problem) {
  const graphs::Graph& graph = *problem.graph;
  const Space space = Space::where(MemoryKind::host);
  const Communicator ranks = Communicator::self();
  const std::vector<double> weights(problem.weights.begin(), problem.weights.end());
  GraphResult result;
  result.parts.resize(static_cast<std::size_t>(graph.vertices()));
  std::vector<CurveKey> keys(result.parts.size());
  const GraphClock clock(problem);
  const std::vector<std::uint64_t> places = graphs::curve_keys(graph.dimensions, graph.positions);
  for (std::size_t v = 0; v < keys.size(); ++v) keys[v] = {places[v]};
  const WeightedKeys weighted{keys, weights};
  const Cut cut = evenkeel::cut(
      ranks, std::span(&weighted, 1),
      {.parts = problem.parts, .dimensions = graph.dimensions, .speeds = problem.speeds});
  write_owners(space, cut.splitters, keys.data(), std::ssize(keys), result.parts.data());
  space.fence("evenkeel::bench::curve");
  clock.stop(result);
  return result;
}

// Polishing begins with a curve and needs positions. The methods "placed" use them, too.
GraphResult by_graph(const GraphProblem& problem, Effort effort, bool has_positions) {
  const graphs::Graph& graph = *problem.graph;
  const Space space = Space::where(MemoryKind::host);
  const Communicator self = Communicator::self();
  const Communicator& ranks = problem.ranks != nullptr ? *problem.ranks : self;
  const auto positions =
      raw_field(graph.positions.data(), {.count = graph.dimensions > 0 ? graph.vertices() : 0,
                                         .components = std::max(1, graph.dimensions)});
  evenkeel::GraphOptions known;
  if (!problem.weights.empty()) known.weight = problem.weights;
  if (!problem.edge_weights.empty()) known.edge_weight = problem.edge_weights;
  if (!problem.is_uncuttable.empty()) known.uncuttable = problem.is_uncuttable;
  if (has_positions && graph.dimensions > 0) known.position = positions;
  GraphCutOptions options{.parts = problem.parts, .speeds = problem.speeds};
  if (!problem.old_parts.empty()) options.from = problem.old_parts;
  GraphResult result;
  const GraphClock clock(problem);
  const GraphCut cut =
      cut_graph(space, ranks, evenkeel::graph(graph.offsets, graph.columns, known), options,
                {.effort = effort, .target_lambda = problem.target_lambda});
  clock.stop(result);
  result.parts = cut.parts.on_host();
  return result;
}

GraphMethod method_of(Effort effort, bool has_positions) {
  const bool is_named = has_positions && effort != Effort::polish;
  return {.name = (is_named ? "placed " : "evenkeel ") + std::string(name_of(effort)),
          .solve =
              [=](const GraphProblem& problem) { return by_graph(problem, effort, has_positions); },
          .needs_positions = has_positions,
          .on_all_ranks = true,
          .is_ours = true};
}

}  // namespace

std::vector<GraphMethod> our_graph_methods() {
  return {{.name = "curve", .solve = &curve, .needs_positions = true, .is_curve = true},
          method_of(Effort::polish, true),
          method_of(Effort::fast, false),
          method_of(Effort::good, false),
          method_of(Effort::best, false),
          method_of(Effort::fast, true),
          method_of(Effort::good, true),
          method_of(Effort::best, true)};
}

}  // namespace evenkeel::bench
