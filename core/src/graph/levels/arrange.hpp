#pragma once

// Orders vertices so that neighbours are near each other in memory. On machines with caches this
// speeds up all later steps. It changes no result.

#include "graph/levels/contract.hpp"

#include <optional>

namespace evenkeel::graphs {

// Collective. On hosts, if most edges lead further than caches reach, returns the same level with
// this rank's vertices in reverse Cuthill-McKee order, computed by Kokkos Kernels. Returns nothing
// if the order is good already, or if the build has no Kokkos Kernels.
std::optional<Contracted> arranged(const Communicator& communicator, const Level& level);

}  // namespace evenkeel::graphs
