#pragma once

// The calls of MPI of a cut of a graph. The number of its steps depends on the graph and cannot be
// predicted, so the calls are counted on several numbers of ranks.

#include "calls.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <optional>

namespace evenkeel::scale {

struct GraphCount {
  std::int64_t ranks = 0;
  std::int64_t reductions = 0, bytes_reduced = 0;
  std::int64_t gathers = 0, bytes_gathered = 0;  // of all ranks
  std::int64_t messages = 0, bytes_sent = 0;     // of the busiest rank
};

// Collective. Counts the calls of a cut from scratch into one part per rank. The graph is a grid
// with side^3 vertices on each rank, one rank's slab on top of the other's. Cuts on a third, on two
// thirds and on all of the ranks.
std::vector<GraphCount> count_graph_calls(const Communicator& world, int side);

// Writes the counts as lines of numbers, and reads them. Returns nothing if the file has no counts.
std::string text_of(const std::vector<GraphCount>& counts);
std::optional<std::vector<GraphCount>> read_counts(const std::string& file);

// The calls on more ranks with the same number of vertices per rank. The number of calls is that of
// the counts with the most ranks. The mean size of a reduction grows with the ranks along the line
// through the counts, and the coarsest graph grows by the rule of the library.
struct GraphOnRanks {
  Calls collectives;
  std::int64_t messages = 0, bytes_sent = 0;  // of a rank, which has few neighbours
  std::int64_t bytes_of_coarsest = 0;         // the graph that all ranks gather, and cut alone
};
GraphOnRanks graph_on(const std::vector<GraphCount>& counts, std::int64_t ranks);

}  // namespace evenkeel::scale
