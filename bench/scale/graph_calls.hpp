#pragma once

// What a cut of a graph asks of MPI. How many steps it takes depends on the graph and cannot be
// foretold, so it is counted on the ranks that there are, on several numbers of them.

#include "calls.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::scale {

struct GraphCount {
  std::int64_t ranks = 0;
  std::int64_t reductions = 0, bytes_reduced = 0;
  std::int64_t gathers = 0, bytes_gathered = 0;  // of all ranks
  std::int64_t messages = 0, bytes_sent = 0;     // of the busiest rank
};

// Collective. A grid of side^3 vertices on each rank, one on top of the other, cut from nothing
// into a part for each rank; on a third, on two thirds and on all of the ranks.
std::vector<GraphCount> count_graph_calls(const Communicator& world, int side);

// The counts as lines of numbers, and back; nothing where the file does not hold them.
std::string text_of(const std::vector<GraphCount>& counts);
std::optional<std::vector<GraphCount>> read_counts(const std::string& file);

// On more ranks, each with as many vertices: as many calls as on the most ranks counted. The mean
// size of a reduction grows with the ranks along the line through what was counted; the coarsest
// graph as the library's rule says.
struct GraphOnRanks {
  Calls collectives;
  std::int64_t messages = 0, bytes_sent = 0;  // of a rank, whose neighbours are few
  std::int64_t bytes_of_coarsest = 0;         // the graph that all ranks gather, and cut alone
};
GraphOnRanks graph_on(const std::vector<GraphCount>& counts, std::int64_t ranks);

}  // namespace evenkeel::scale
