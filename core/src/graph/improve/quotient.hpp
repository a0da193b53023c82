#pragma once

// The graph of parts, and flows of weight between them. It is on the host, and the same on all
// ranks.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::graphs {

// A border between two parts, seen from one of them.
struct Border {
  int from, to;
  std::int64_t weight;  // sum over the edges that cross the border
};

struct Flow {
  int from, to;
  std::int64_t amount;
};

// Returns the cheapest flows that bring the excess of parts to parts with room. `excess` is above 0
// for parts that are too heavy, and below 0 for parts with room. A unit of flow costs about the
// same over each border, but a little more over narrow borders. Excess that cannot reach any room
// stays where it is. `borders` is sorted, and has each border from both sides.
std::vector<Flow> cheapest_flows(std::span<const Border> borders,
                                 std::span<const std::int64_t> excess);

}  // namespace evenkeel::graphs
