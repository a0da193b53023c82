// Cuts each graph from scratch by each method, and compares the cuts with those of METIS.

#include "graph_modes.hpp"

#include <evenkeel/core/weights/load.hpp>

#include <cstdio>
#include <optional>

namespace evenkeel::bench {
namespace {

using graphs::Graph;

struct Row {
  double cut, volume, lambda, seconds, wall_seconds;
  int empty;
};

double lambda_of(std::span<const std::int64_t> loads, std::span<const double> speeds) {
  if (speeds.empty()) return graphs::lambda_of(loads);
  const std::vector<double> works(loads.begin(), loads.end());
  return evenkeel::lambda_of(works, speeds);
}

Row row_of(const Graph& graph, const GraphProblem& problem, const GraphResult& result) {
  const auto loads = graphs::loads_of(problem.weights, result.parts, problem.parts);
  return {static_cast<double>(graphs::cut_of(graph, {}, result.parts)),
          static_cast<double>(graphs::volume_of(graph, result.parts, problem.parts)),
          lambda_of(loads, problem.speeds),
          result.cpu_seconds,
          result.wall_seconds,
          graphs::parts_without(loads)};
}

struct Summary {
  Ratios cut, volume, seconds;
  double lambda = 0;
  int empty = 0;

  void add(const Row& row, const Row& baseline, const std::string& where) {
    cut.add(row.cut / baseline.cut, where);
    volume.add(row.volume / baseline.volume, where);
    seconds.add(row.seconds / baseline.seconds, where);
    lambda = std::max(lambda, row.lambda);
    empty += row.empty;
  }
};

void print_summary(const std::vector<GraphMethod>& methods,
                   const std::map<std::string, Summary>& summaries) {
  std::printf(
      "\nRelative to %s: geometric means, and the worst.\n\n"
      "| method | cases | cut | worst cut | volume | CPU time | worst time | worst lambda | empty "
      "parts |\n|---|---|---|---|---|---|---|---|---|\n",
      std::string(graph_baseline).c_str());
  for (const GraphMethod& method : methods) {
    const auto found = summaries.find(method.name);
    if (found == summaries.end()) continue;
    const Summary& all = found->second;
    std::printf("| %-16s | %2d | %.3f | %.3f (%s) | %.3f | %.2f | %.2f (%s) | %.3f | %d |\n",
                method.name.c_str(), all.cut.count(), all.cut.mean(), all.cut.worst(),
                all.cut.place_of_worst().c_str(), all.volume.mean(), all.seconds.mean(),
                all.seconds.worst(), all.seconds.place_of_worst().c_str(), all.lambda, all.empty);
  }
}

void print(const std::string& graph, int parts, const std::string& method, const Row& row,
           const std::optional<Row>& baseline) {
  std::printf(
      "| %-7s | %4d | %-16s | %8.0f | %5.3f | %8.0f | %5.3f | %6.4f | %3d | %7.3f | %5.2f | %7.3f "
      "|\n",
      graph.c_str(), parts, method.c_str(), row.cut, baseline ? row.cut / baseline->cut : 0,
      row.volume, baseline ? row.volume / baseline->volume : 0, row.lambda, row.empty, row.seconds,
      baseline ? row.seconds / baseline->seconds : 0, row.wall_seconds);
  std::fflush(stdout);
}

}  // namespace

void cut_from_scratch(const GraphOptions& options) {
  const Words names = names_of_graphs(
      options, with_files(options, {"tri2d", "ring2d", "aniso2d", "tet3d", "shell3d", "rgg"}));
  const std::vector<GraphMethod> methods = methods_of(options);
  std::map<std::string, Summary> summaries;
  std::printf(
      "| graph | parts | method | cut | of METIS | volume | of METIS | lambda | empty | CPU s | of "
      "METIS | s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : names) {
    const Graph graph = graph_of(name, options);
    for (const int count : numbers_of_parts(options, {8, 64, 256})) {
      std::optional<Row> baseline;
      for (const GraphMethod& method : methods) {
        if (!fits(method, graph) || !(method.takes_speeds || options.speeds.empty())) continue;
        const GraphProblem problem = whole_problem(graph, count, options);
        const Row row = row_of(graph, problem, solve(method, problem, options));
        if (method.name == graph_baseline) baseline = row;
        print(name, count, method.name, row, baseline);
        if (baseline)
          summaries[method.name].add(row, *baseline, name + " " + std::to_string(count));
      }
    }
  }
  print_summary(methods, summaries);
}

}  // namespace evenkeel::bench
