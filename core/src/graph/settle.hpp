#pragma once

// The last resort against parts that are too heavy: vertices go one after the other, to any part.

#include "graph/moves.hpp"

namespace evenkeel::graphs {

// Collective. For what relieve() and level_out() leave: parts with room that border on none that is
// too heavy, and a few vertices of very different weights. Returns how many moved. The same on any
// number of ranks.
std::int64_t settle(Moves& moves);

// Collective. No part has room for two lumps: all but the heaviest of a part go to parts without
// one, which may become too heavy. Returns how many moved.
std::int64_t seat_lumps(Moves& moves);

}  // namespace evenkeel::graphs
