#pragma once

// The borders between parts.

#include "graph/moves.hpp"
#include "graph/quotient.hpp"

#include <vector>

namespace evenkeel::graphs {

// Collective. All of them, sorted; each is there from both sides.
std::vector<Border> borders_of(Moves& moves);

}  // namespace evenkeel::graphs
