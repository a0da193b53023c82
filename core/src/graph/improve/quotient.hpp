#pragma once

// The graph of parts, and flows of weight over it. It is on the host, and the same on all ranks.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::graphs {

// A border between two parts, seen from one side, and the weight of its edges.
struct Border {
  int from, to;
  std::int64_t weight;  // of edges
};

struct Flow {
  int from, to;
  std::int64_t amount;
};

// The cheapest flows that bring the excess of each part to parts with room. `excess` is above 0 for
// parts that are too heavy, and below 0 for parts with room. Each border that an amount crosses
// costs the same, narrow ones a little more. An excess that cannot reach any room stays. Borders
// are sorted, and each is listed from both sides.
std::vector<Flow> cheapest_flows(std::span<const Border> borders,
                                 std::span<const std::int64_t> excess);

}  // namespace evenkeel::graphs
