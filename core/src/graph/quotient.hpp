#pragma once

// The graph of parts, and flows of weight over it. On the host, the same on all ranks.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::graphs {

// A border between two parts, from one side, and what it is made of.
struct Border {
  int from, to;
  std::int64_t weight;  // of edges
};

struct Flow {
  int from, to;
  std::int64_t amount;
};

// The cheapest flows that take from each part what it has too much and bring it to parts with room:
// `excess` is above 0 for the former and below for the latter. Each border that an amount crosses
// costs the same, narrow ones a little more. What has no way to any room stays. Borders are sorted,
// and each is there from both sides.
std::vector<Flow> cheapest_flows(std::span<const Border> borders,
                                 std::span<const std::int64_t> excess);

}  // namespace evenkeel::graphs
