#include "graph_modes.hpp"

#include "graph_ours.hpp"
#include "graph_peers.hpp"
#include "graphs/delaunay.hpp"
#include "graphs/generators.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace evenkeel::bench {

namespace {

graphs::Graph graph_in_order(const std::string& name, const GraphOptions& options) {
  if (std::ranges::count(graphs::generator_names(), name) > 0)
    return graphs::generate(name, options.scale, static_cast<std::uint64_t>(options.seed));
  if (options.folder.empty())
    graphs::fail("no generator is called " + name + ", and no folder of graphs is given");
  return graphs::read_metis(options.folder + "/" + name + ".graph");
}

}  // namespace

graphs::Graph graph_of(const std::string& name, const GraphOptions& options) {
  graphs::Graph graph = graph_in_order(name, options);
  if (!options.is_shuffled) return graph;
  return graphs::shuffled(graph, static_cast<std::uint64_t>(options.seed));
}

std::vector<GraphMethod> methods_of(const GraphOptions& options) {
  std::vector<GraphMethod> all = graph_peers();
  std::ranges::move(our_graph_methods(), std::back_inserter(all));
  const std::vector<std::string>& names = options.methods;
  std::erase_if(all, [&](const GraphMethod& method) {
    if (names.empty()) return method.name.starts_with("Zoltan");
    return std::ranges::none_of(names, [&](const std::string& name) {
      return name == "all" || method.name.starts_with(name);
    });
  });
  return all;
}

bool fits(const GraphMethod& method, const graphs::Graph& graph) {
  return graph.dimensions > 0 || !method.needs_positions;
}

GraphProblem whole_problem(const graphs::Graph& graph, int parts, const GraphOptions& options) {
  return {.graph = &graph,
          .first_rows = {0, graph.vertices()},
          .parts = parts,
          .tolerance = options.tolerance,
          .seed = options.seed};
}

GraphResult solve(const GraphMethod& method, const GraphProblem& problem,
                  const GraphOptions& options) {
  GraphResult best = method.solve(problem);
  for (int r = 1; r < options.repetitions; ++r)
    if (GraphResult next = method.solve(problem); next.cpu_seconds < best.cpu_seconds)
      best = std::move(next);
  return best;
}

void Ratios::add(double ratio, const std::string& where) {
  sum_of_logarithms_ += std::log(ratio);
  ++count_;
  if (ratio <= worst_) return;
  worst_ = ratio;
  where_ = where;
}
double Ratios::mean() const { return std::exp(sum_of_logarithms_ / count_); }

void list_graphs(const GraphOptions& options) {
  graphs::check_degenerate_triangulations();
  std::printf("| graph | vertices | edges | seconds to make |\n|---|---|---|---|\n");
  std::vector<std::string> names = options.graphs;
  if (names.empty()) {
    names.assign(graphs::generator_names().begin(), graphs::generator_names().end());
    if (!options.folder.empty()) names.insert(names.end(), {"mdual", "copter2", "4elt"});
  }
  for (const std::string& name : names) {
    const Stopwatch watch;
    const graphs::Graph graph = graph_of(name, options);
    std::printf("| %-8s | %8lld | %8lld | %5.2f |\n", name.c_str(),
                static_cast<long long>(graph.vertices()), static_cast<long long>(graph.edges()),
                watch.seconds());
  }
}

}  // namespace evenkeel::bench
