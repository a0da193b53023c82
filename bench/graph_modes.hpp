#pragma once

// What bench_graph measures, mode by mode, and the options that all modes share.

#include "graph_method.hpp"
#include "graphs/measures.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::bench {

struct GraphOptions {
  std::vector<std::string> graphs, methods;  // empty: what the mode chooses
  std::vector<int> parts;
  std::string folder;  // of files in the format of METIS
  double scale = 1;    // of the generators' sizes
  bool is_shuffled = false;
  double tolerance = 0.03;
  double lambda = 1.3;  // that a step of the hot spot causes
  int steps = 10, seed = 1, repetitions = 1;
};

// Each prints a table in Markdown.
void list_graphs(const GraphOptions& options);
void cut_from_scratch(const GraphOptions& options);
void repartition(const GraphOptions& options);
void cut_around_lumps(const GraphOptions& options);
void compare_coarsening(const GraphOptions& options);
void cut_on_ranks(const GraphOptions& options);  // collective

// --- What the modes share ------------------------------------------------------------------------

// From the generator of this name, else from the file of this name in the folder; vertices at
// random when an option says so.
graphs::Graph graph_of(const std::string& name, const GraphOptions& options);

// Peers first and our own last: those whose names begin as an option says; without that option, all
// but Zoltan, which takes 10 to 40 times as long as the others.
std::vector<GraphMethod> methods_of(const GraphOptions& options);

bool fits(const GraphMethod& method, const graphs::Graph& graph);  // has the positions it needs

// A problem for one rank that has all rows.
GraphProblem whole_problem(const graphs::Graph& graph, int parts, const GraphOptions& options);

// The result with the least CPU time of as many runs as `options` ask for.
GraphResult solve(const GraphMethod& method, const GraphProblem& problem,
                  const GraphOptions& options);

inline constexpr std::string_view graph_baseline = "METIS k-way";

// Collects ratios by name, and where the worst was.
class Ratios {
 public:
  void add(double ratio, const std::string& where);
  double mean() const;  // geometric
  double worst() const { return worst_; }
  const std::string& place_of_worst() const { return where_; }
  int count() const { return count_; }

 private:
  double sum_of_logarithms_ = 0, worst_ = 0;
  int count_ = 0;
  std::string where_;
};

}  // namespace evenkeel::bench
