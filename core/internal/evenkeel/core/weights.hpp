#pragma once

// What objects cost, relative to each other.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

// The weights that came with a set, one per owned object, in the memory of the space. Throws an
// Error when none came, and when one is negative, NaN or infinite. Local.
EVENKEEL_API exec::Array<double> given_weights(const Space& space, const Set& set);

// The measured cost of the objects of one rank.
struct Measured {
  double cost = 0;        // of all objects of this rank: seconds, say
  double mean_cost = 0;   // of an object, over all ranks
  double followed = 0.5;  // the share of the cost that is spread by earlier weights
};

// What each object costs where the application gave no weights: the cost of this rank spread over
// its objects. A share of it, `followed`, is spread in proportion to the objects' earlier weights,
// which travel with them, so that what was learned on other ranks is not lost; the rest is spread
// evenly. Earlier weights are ignored if their number is not `objects`, because the application has
// made or removed some. The mean per object stays within a factor of 100 of `mean_cost`. In the
// memory of the space. Local.
EVENKEEL_API exec::Array<double> measured_weights(const Space& space, std::int64_t objects,
                                                  const Measured& measured,
                                                  const exec::Array<double>& earlier);

// What was known of objects by their keys, in the order of other keys: entry i is the value of the
// object whose key is now[i]. Objects that were not known get the mean of those that were;
// `unknown` counts them. `places`: where the key of each object was; -1: nowhere. Keys that occur
// twice have one value. In the memory of the space. Local.
struct Followed {
  exec::Array<double> values;
  exec::Array<std::int64_t> places;
  std::int64_t unknown = 0;
};
EVENKEEL_API Followed followed(const Space& space, const exec::Array<std::int64_t>& keys,
                               const exec::Array<double>& values,
                               const exec::Array<std::int64_t>& now);

// The keys of a set, one per owned object. Local.
EVENKEEL_API exec::Array<std::int64_t> keys_of(const Space& space, const Set& set);

// The sum of weights in the memory of the space. Local.
EVENKEEL_API double sum_of(const Space& space, std::span<const double> weights);
inline double sum_of(const exec::Array<double>& weights) {
  return weights.empty() ? 0 : sum_of(weights.space(), weights.span());
}

}  // namespace evenkeel
