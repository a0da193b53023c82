#pragma once

// What a cut of a graph must keep to, the same on all ranks and for all levels.

#include <array>
#include <cstdint>

namespace evenkeel::graph {

inline constexpr int most_constraints = 8;
using PerConstraint = std::array<std::int64_t, most_constraints>;

// A weight of edges is counted in this part of a unit where it is compared with what it is worth
// for a vertex to stay at home.
inline constexpr int finer_bits = 10;

struct Goal {
  int parts = 1;
  int constraints = 1;
  PerConstraint totals = {};  // weights of all vertices
  PerConstraint limits = {};  // the most that a part may weigh
  PerConstraint floors = {};  // lighter parts are not left for a better cut
};

// How long a level is refined.
struct Patience {
  int iterations = 12;    // without a gain
  double gain = 0.001;    // of the cut, to count as one
};

}  // namespace evenkeel::graph
