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

// One unit of edge weight is 2^finer_bits finer units. In finer units, edge weights and the worth
// of staying at home are comparable.
inline constexpr int finer_bits = 10;

struct Goal {
  int parts = 1;
  int constraints = 1;
  PerConstraint totals = {};  // total weight of all vertices
  PerConstraint limits = {};  // greatest weight of a part
  PerConstraint floors = {};  // a lighter part loses no vertex to improve the cut
  // A vertex of at least the weight `lump` in the first constraint is a lump: no part has room for
  // two. A part with a lump accepts another vertex if the part then weighs at most `beside_lump`.
  // If `lump` is 0, there are no lumps.
  std::int64_t lump = 0, beside_lump = 0;
};

// Returns the least weight that the heaviest part can have in a constraint. There are `clusters`
// clusters that cannot be divided, and the heaviest of them weighs `heaviest`.
inline std::int64_t least_bottleneck(const Goal& goal, std::size_t constraint,
                                     const PerConstraint& heaviest, std::int64_t clusters) {
  const std::int64_t total = goal.totals[constraint], one = heaviest[constraint];
  const std::int64_t average = total / goal.parts + (total % goal.parts != 0 ? 1 : 0);
  // If all clusters weigh the same, each part holds a whole number of them.
  if (one > 0 && total / one == clusters && total % one == 0)
    return (clusters / goal.parts + (clusters % goal.parts != 0 ? 1 : 0)) * one;
  return std::max(average, one);
}

// Decides when the refinement of a level ends.
struct Patience {
  double gain = 0.002;  // a share of the cut; a smaller improvement does not count as a gain
  // Refinement ends after `iterations` iterations without a gain. It may continue up to
  // `most_iterations` without a gain, as long as these together move less than the share `cheap` of
  // all vertices.
  int iterations = 4;
  int most_iterations = 16;
  double cheap = 0.05;
};

}  // namespace evenkeel::graphs
