#pragma once

// An order of vertices in which neighbours are near each other in memory. With caches it speeds up
// all later steps, and it changes no result.

#include "graph/levels/contract.hpp"

#include <optional>

namespace evenkeel::graphs {

// Collective. On hosts, if most edges lead further than caches reach, returns the same level with
// this rank's vertices in the order of reverse Cuthill and McKee, by Kokkos Kernels. Returns
// nothing if the order is good already, and in builds without Kokkos Kernels.
std::optional<Contracted> arranged(const Communicator& communicator, const Level& level);

}  // namespace evenkeel::graphs
