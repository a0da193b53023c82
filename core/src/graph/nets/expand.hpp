#pragma once

// A graph instead of nets, for what works on graphs: clusters, and the first cut.

#include "graph/given.hpp"
#include "graph/nets/level.hpp"

namespace evenkeel::graphs {

// Gives the objects edges between the pins of nets. Each pin has edges which together weigh as much
// as the net: to all other pins of a small net, and to pins in distances of powers of two, around a
// ring of all pins in their order, of a larger one. So a single pin that leaves costs the net's
// weight, and no pin has more than most_edges_in_net edges by a net. Local.
inline constexpr std::int64_t most_edges_in_net = 11;
void expand(const Space& space, int rank, const NetLevel& nets, Given& objects);

}  // namespace evenkeel::graphs
