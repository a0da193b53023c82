#pragma once

// The goal of a graph cut, the same on all ranks.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel::graphs {

inline constexpr int most_constraints = 8;
inline constexpr int no_constraint = -1;
template <class T>
using PerConstraintOf = std::array<T, most_constraints>;
using PerConstraint = PerConstraintOf<std::int64_t>;

// For comparisons with the worth of staying at home, edge weights are counted in finer units: a
// unit has 2^finer_bits of them.
inline constexpr int finer_bits = 10;

struct Goal {
  int parts = 1;
  int constraints = 1;
  PerConstraint totals = {};  // weights of all vertices
  PerConstraint limits = {};  // the greatest weights of a part
  PerConstraint floors = {};  // no vertex leaves a lighter part for a better cut
  // Vertices of this weight or more, in the first constraint, are lumps: no part has room for two.
  // A part with a lump accepts other vertices as long as its weight is at most `beside_lump`. If
  // `lump` is 0, there are no lumps.
  std::int64_t lump = 0, beside_lump = 0;
};

// The least possible weight of the heaviest part: `clusters` cannot be divided, and the heaviest of
// them weighs `heaviest`.
inline std::int64_t least_bottleneck(const Goal& goal, std::size_t constraint,
                                     const PerConstraint& heaviest, std::int64_t clusters) {
  const std::int64_t total = goal.totals[constraint], one = heaviest[constraint];
  const std::int64_t average = total / goal.parts + (total % goal.parts != 0 ? 1 : 0);
  // Equal weights: each part holds a whole number of clusters.
  if (one > 0 && total / one == clusters && total % one == 0)
    return (clusters / goal.parts + (clusters % goal.parts != 0 ? 1 : 0)) * one;
  return std::max(average, one);
}

// The limits of the refinement of a level.
struct Patience {
  double gain = 0.002;  // a share of the cut; less does not count as a gain
  // Refinement ends after `iterations` without a gain, or after `most_iterations` as long as they
  // are cheap. Cheap ones together move no more than the share `cheap` of all vertices.
  int iterations = 4;
  int most_iterations = 16;
  double cheap = 0.05;
};

}  // namespace evenkeel::graphs
