#pragma once

// The modes of bench_graph, and the options and functions that they share.

#include "arguments.hpp"
#include "graph_method.hpp"
#include "graphs/measures.hpp"

namespace evenkeel::bench {

struct GraphOptions {
  Words graphs, methods;            // if empty, the mode chooses
  std::vector<int> parts;           // if empty, the mode chooses
  std::vector<double> speeds = {};  // of the parts, again and again; for scratch
  std::string folder;               // of files in the format of METIS
  double scale = 1;                 // of the generators' sizes
  double target_lambda = 1.03;
  double lambda = 1.3;  // after a step of the hot spot
  int steps = 10, seed = 1, repetitions = 1;
  bool is_shuffled = false;
};

// Each function prints a table in Markdown.
void cut_from_scratch(const GraphOptions& options);
void repartition(const GraphOptions& options);
void cut_around_lumps(const GraphOptions& options);
void cut_nets_of_graphs(const GraphOptions& options);
void compare_coarsening(const GraphOptions& options);
void cut_on_ranks(const GraphOptions& options);  // collective

// --- Functions that several modes use ------------------------------------------------------------

// The graphs and the numbers of parts that the options name; by default, those in `otherwise`.
Words names_of_graphs(const GraphOptions& options, const Words& otherwise);
std::vector<int> numbers_of_parts(const GraphOptions& options, const std::vector<int>& otherwise);

// Adds mdual and copter2, the files that docs/performance.md describes, if there is a folder.
Words with_files(const GraphOptions& options, Words generated);

// The graph from the generator of this name, else from the file of this name in the folder.
graphs::Graph graph_of(const std::string& name, const GraphOptions& options);

// True if the name of the method begins as an option says, or if no option names methods.
bool is_chosen(const GraphOptions& options, std::string_view method);

// The chosen methods, with peers first and our own last.
std::vector<GraphMethod> methods_of(const GraphOptions& options);

bool fits(const GraphMethod& method, const graphs::Graph& graph);  // has the positions it needs

// A problem for one rank that has all rows.
GraphProblem whole_problem(const graphs::Graph& graph, int parts, const GraphOptions& options);

// Runs the method as often as `options` ask for. Returns the result with the least CPU time.
GraphResult solve(const GraphMethod& method, const GraphProblem& problem,
                  const GraphOptions& options);

inline constexpr std::string_view graph_baseline = "METIS k-way";

// Compares values with the first one.
class First {
 public:
  double ratio(double value) {
    if (first_ == 0) first_ = value;
    return value / first_;
  }

 private:
  double first_ = 0;
};

// Collects ratios, and the place of the worst one.
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
