#pragma once

// Selects a few objects that represent all objects of a set, for estimates. They are selected
// evenly along the arrays, so objects that are stored along a curve are sampled evenly in space.

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
  std::vector<double> weights;        // the weight that each of them represents
};

// Selects at most `most` of `objects` objects. Divides them into stretches of equal length, and
// selects one object of each stretch, which represents the weight of the whole stretch. It is the
// object at which the sum of the weights exceeds a share of all weight of the stretch. This share
// is between 0.1 and 0.9, and differs from stretch to stretch. So heavy objects are selected about
// as often as their weight demands, in any order of the arrays. An object with nine tenths of the
// weight of its stretch is always selected. `weights` has one number per object, not negative. If
// it is empty or has only zeros in a stretch, the object in the middle of the stretch is selected.
// Local, like the functions below.
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
