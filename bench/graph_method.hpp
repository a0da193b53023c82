#pragma once

// A problem of graph partitioning, and a method that solves it: ours, a peer or a curve.

#include "graphs/graph.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <ctime>
#include <functional>

namespace evenkeel::bench {

// On several ranks, each rank has some rows of the graph, whose columns are vertices of all ranks.
// The spans below `first_rows` also have only the rows of this rank. They may be empty.
struct GraphProblem {
  const graphs::Graph* graph = nullptr;
  std::vector<std::int64_t> first_rows;              // of each rank, and the number of all rows
  std::span<const std::int64_t> weights = {};        // of vertices
  std::span<const std::int64_t> edge_weights = {};   // one per column
  std::span<const std::uint8_t> is_uncuttable = {};  // one per column
  std::span<const int> old_parts = {};
  std::vector<double> speeds = {};  // of parts; if it is empty, all are equally fast
  int parts = 1;
  double target_lambda = 1.03;
  int seed = 1;
  const Communicator* ranks = nullptr;  // if null, one rank has all rows; others may wait
};

struct GraphResult {
  std::vector<int> parts;
  double cpu_seconds = 0, wall_seconds = 0;
};

struct GraphMethod {
  std::string name;
  std::function<GraphResult(const GraphProblem&)> solve;
  bool needs_positions = false;
  bool is_curve = false;      // parts are in order along a curve, and ignore edges
  bool on_all_ranks = false;  // collective; if false, one rank has all rows
  bool takes_speeds = true;
  bool is_ours = false;  // begins with the old parts, and never cuts uncuttable edges
};

// The methods of evenkeel: the cut of a Hilbert curve through the positions, and the partitioner
// with each of its efforts.
std::vector<GraphMethod> our_graph_methods();

// The other partitioners that this machine has: METIS, which is first, and PT-Scotch. Their input
// is converted to their types before their clocks start.
std::vector<GraphMethod> graph_peers();

// Starts on all ranks at once, after a method has converted its input. Counts the time of all
// threads of the process, since peers may start some.
class GraphClock {
 public:
  explicit GraphClock(const GraphProblem& problem) {
    if (problem.ranks != nullptr) problem.ranks->barrier();
    wall_.restart();
    cpu_ = std::clock();
  }
  void stop(GraphResult& result) const {
    result.wall_seconds = wall_.seconds();
    result.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  }

 private:
  Stopwatch wall_;
  std::clock_t cpu_ = 0;
};

}  // namespace evenkeel::bench
