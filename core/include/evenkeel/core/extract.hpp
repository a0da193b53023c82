#pragma once

// A few objects that stand for all of a set, for estimates. Objects are taken in the order in which
// they are stored: those that are stored along a curve are so sampled evenly in space.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

struct Extract {
  std::vector<std::int64_t> objects;  // rising
  std::vector<double> weights;        // that each stands for
};

// At most `most` of `objects`: of stretches of equal length the heaviest object each, the first of
// several, with the weight of its stretch. So what is heavy by itself is never missed. `weights`:
// not negative, of each object; empty: all 1, and the object in the middle of each stretch. Local,
// as is what follows.
EVENKEEL_API Extract extract_of(std::int64_t objects, std::span<const double> weights,
                                std::int64_t most);

// The same by the weights that came with a set, wherever they are. Throws an Error where none came,
// and when one is negative, NaN or infinite.
EVENKEEL_API Extract extract_by_weight(const Space& space, const Set& set, std::int64_t most);

// The coordinates of some objects, object by object, on the host whatever memory the set is in.
EVENKEEL_API std::vector<double> places_of(const Space& space, const Set& set,
                                           std::span<const std::int64_t> objects);

}  // namespace evenkeel
