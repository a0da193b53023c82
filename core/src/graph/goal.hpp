#pragma once

// What a cut of a graph must keep to, the same on all ranks and for all levels.

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel::graphs {

inline constexpr int most_constraints = 8;
inline constexpr int no_constraint = -1;
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
  // Vertices of this weight or more, in the first constraint, are lumps: no part has room for two.
  // What else comes into a part with one fits below `beside_lump`. 0: there are none.
  std::int64_t lump = 0, beside_lump = 0;
};

// What the heaviest part weighs at least: `clusters` cannot be divided, and the heaviest of them
// weighs `heaviest`.
std::int64_t least_bottleneck(const Goal& goal, std::size_t constraint,
                              const PerConstraint& heaviest, std::int64_t clusters);

// How long a level is refined.
struct Patience {
  double gain = 0.002;  // of the cut: less is none
  // Iterations without a gain: this many, and more as long as they are cheap, which means that
  // together they move no more than this share of all vertices.
  int iterations = 4;
  int most_iterations = 16;
  double cheap = 0.05;
};

}  // namespace evenkeel::graphs
