#pragma once

// Partitioners of others, as far as this machine has them: METIS, Scotch, PT-Scotch and Zoltan.
// What they need in their own types is converted before their clocks start.

#include "graph_method.hpp"

#include <vector>

namespace evenkeel::bench {

// Those that start from scratch, METIS k-way first, and those that go on from old parts.
std::vector<GraphMethod> graph_peers();

}  // namespace evenkeel::bench
