#pragma once

// Nets of the same pins become one.

#include "graph/nets/level.hpp"

namespace evenkeel::graphs {

// Adds up the weights of nets with the same pins, up to heaviest_edge. Nets keep their order. Ranks
// that have the same nets merge the same ones. Local.
LooseNets merged(const Space& space, LooseNets&& nets);

}  // namespace evenkeel::graphs
