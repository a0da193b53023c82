#include "graph_modes.hpp"

#include "graphs/generators.hpp"
#include "graphs/regular.hpp"

#include <cmath>
#include <iterator>

namespace evenkeel::bench {

Words names_of_graphs(const GraphOptions& options, const Words& otherwise) {
  if (options.graphs.empty()) return otherwise;
  Words names;
  for (const std::string& name : options.graphs) {
    if (name == "regular")
      names.insert(names.end(), graphs::chosen_with.begin(), graphs::chosen_with.end());
    else if (name == "apart")
      names.insert(names.end(), graphs::set_apart.begin(), graphs::set_apart.end());
    else
      names.push_back(name);
  }
  return names;
}
std::vector<int> numbers_of_parts(const GraphOptions& options, const std::vector<int>& otherwise) {
  return options.parts.empty() ? otherwise : options.parts;
}

Words with_files(const GraphOptions& options, Words generated) {
  if (!options.folder.empty()) generated.insert(generated.end(), {"mdual", "copter2"});
  return generated;
}

graphs::Graph graph_of(const std::string& name, const GraphOptions& options) {
  const auto seed = static_cast<std::uint64_t>(options.seed);
  if (auto graph = graphs::generate(name, options.scale, seed))
    return options.is_shuffled ? graphs::shuffled(*graph, seed) : *std::move(graph);
  if (options.folder.empty())
    graphs::fail("no generator is called " + name + ": give folder=DIRECTORY to read a file");
  return graphs::read_metis(name, options.folder + "/" + name + ".graph");
}

bool is_chosen(const GraphOptions& options, std::string_view method) {
  return options.methods.empty() ||
         std::ranges::any_of(options.methods, [&](const std::string& begins) {
           return begins == "all" || method.starts_with(begins);
         });
}

std::vector<GraphMethod> methods_of(const GraphOptions& options) {
  std::vector<GraphMethod> all = graph_peers();
  std::ranges::move(our_graph_methods(), std::back_inserter(all));
  std::erase_if(all, [&](const GraphMethod& method) { return !is_chosen(options, method.name); });
  return all;
}

bool fits(const GraphMethod& method, const graphs::Graph& graph) {
  return graph.dimensions > 0 || !method.needs_positions;
}

GraphProblem whole_problem(const graphs::Graph& graph, int parts, const GraphOptions& options) {
  std::vector<double> speeds;
  for (int p = 0; p < parts && !options.speeds.empty(); ++p)
    speeds.push_back(options.speeds[static_cast<std::size_t>(p) % options.speeds.size()]);
  return {.graph = &graph,
          .first_rows = {0, graph.vertices()},
          .speeds = speeds,
          .parts = parts,
          .target_lambda = options.target_lambda,
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

}  // namespace evenkeel::bench
