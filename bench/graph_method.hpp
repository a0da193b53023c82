#pragma once

// A problem of graph partitioning, and a method that solves it: ours, a peer or a curve.

#include "graphs/graph.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <cstdint>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::bench {

// On several ranks each has a few rows of the graph; its columns are vertices of all ranks. The
// spans below `first_rows` are a rank's own, too, and may be empty.
struct GraphProblem {
  const graphs::Graph* graph = nullptr;
  std::vector<std::int64_t> first_rows;              // of each rank, and the number of all rows
  std::span<const std::int64_t> weights = {};        // of vertices
  std::span<const std::int64_t> edge_weights = {};   // one per column
  std::span<const std::uint8_t> is_uncuttable = {};  // one per column
  std::span<const int> old_parts = {};
  int parts = 1;
  double tolerance = 0.03;  // the heaviest part may be 1 + this times the average
  int seed = 1;
  const Communicator* ranks = nullptr;  // null: one rank has all rows, and others may wait
};

struct GraphResult {
  std::vector<int> parts;
  double cpu_seconds = 0, wall_seconds = 0;
};

struct GraphMethod {
  std::string name;
  std::function<GraphResult(const GraphProblem&)> solve;
  bool needs_positions = false;
  bool is_curve = false;          // parts in order along a curve, and unaware of edges
  bool on_all_ranks = false;      // collective; else for one rank that has all rows
  bool goes_on_from_old = false;  // needs old parts
  bool takes_old = false;         // goes on from old parts where there are some
  bool keeps_uncuttable = false;  // never cuts edges that must not be cut
};

// Starts on all ranks at once, where there are several, after what a method converts for itself.
// Counts the time of all threads of the process, since peers may start some.
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
