#pragma once

// What a cut of a graph asks of MPI on the ranks that there are. How many steps it takes depends on
// the graph and cannot be foretold; so it is counted, and sorted by what it grows with.

#include "calls.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>

namespace evenkeel::scale {

struct GraphCalls {
  Calls small;                      // collectives whose size does not depend on the ranks
  std::int64_t sums_of_parts = 0;   // reductions of a few words for each part
  std::int64_t words_of_parts = 0;  // in all of them, for each part
  std::int64_t words_gathered = 0;  // of the coarsest graph and of borders, for each part
  std::int64_t gathers = 0;
  std::int64_t messages = 0, bytes_of_messages = 0;  // to neighbours, of the busiest rank
};

// Collective. A grid of `side`^3 vertices on each rank, one on top of the other, cut from nothing.
GraphCalls count_graph_calls(const Communicator& world, int side);

// The same counts on more ranks, each with as many vertices.
Calls graph_calls_on(const GraphCalls& counted, std::int64_t ranks);

}  // namespace evenkeel::scale
