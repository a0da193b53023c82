#pragma once

// A few objects that represent all of a set, for estimates. Objects are taken in the order in which
// they are stored, so objects stored along a curve are sampled evenly in space.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Some objects of a set, and the weights that they represent.
struct Extract {
  std::vector<std::int64_t> objects;  // in ascending order
  std::vector<double> weights;        // that each represents
};

// Selects at most `most` of `objects`. The first of the heaviest objects of each stretch of equal
// length represents the weight of the whole stretch, so a heavy object is never missed. `weights`
// has one number per object, not negative. If it is empty, all are 1, and the object in the middle
// represents its stretch. Local, like the functions below.
EVENKEEL_API Extract extract_of(std::int64_t objects, std::span<const double> weights,
                                std::int64_t most);

// The same for weights in an array, on its space.
EVENKEEL_API Extract extract_of(const exec::Array<double>& weights, std::int64_t most);

// The same for the weights of a set, in any memory. Throws an Error if the set has no weights, or
// one of them is negative, NaN or infinite.
EVENKEEL_API Extract extract_by_weight(const Space& space, const Set& set, std::int64_t most);

// The coordinates of some objects, object by object, on the host. The set may be in any memory.
EVENKEEL_API std::vector<double> places_of(const Space& space, const Set& set,
                                           std::span<const std::int64_t> objects);

}  // namespace evenkeel
