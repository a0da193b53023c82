#pragma once

// The costs of objects, relative to each other.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace evenkeel {

// The weights of a set, one per owned object, in the memory of the space. Throws an Error if the
// set has no weights, or one of them is negative, NaN or infinite. Local.
EVENKEEL_API exec::Array<double> given_weights(const Space& space, const Set& set);

// The measured cost of the objects of one rank.
struct MeasuredLoad {
  double cost = 0;        // of all objects of this rank, for example in seconds
  double mean_cost = 0;   // of one object, averaged over all ranks
  double followed = 0.5;  // the share of the cost that earlier weights distribute
};

// Returns a cost for each object if the application gives no weights: distributes the cost of this
// rank over its objects. The share `followed` is distributed in proportion to the earlier weights
// of the objects, which move with the objects and so contain measurements of other ranks. The rest
// is distributed evenly. If the number of earlier weights is not `objects`, the application has
// made or removed objects, and earlier weights are ignored. The mean cost of an object is kept
// within a factor of 100 of `mean_cost`. The result is in the memory of the space. Local.
EVENKEEL_API exec::Array<double> measured_weights(const Space& space, std::int64_t objects,
                                                  const MeasuredLoad& measured,
                                                  const exec::Array<double>& earlier);

// Finds the earlier values of objects by their keys. Entry i of `values` is the earlier value of
// the object whose key is now[i]; if the given values are empty, all are 0. Entry i of `places` is
// the index of that key in `keys`, or -1 if it is not there; such objects get the mean value of the
// others, and `unknown` counts them. If a key occurs several times, all its objects get the value
// of one of them. The lists are in the memory of the space. Local.
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

// The weight of a set's owned objects, which is 1 each if the set has no weights, and their mean
// place by weight, which needs some weight. Local.
struct CentreOfWeight {
  double weight = 0;
  std::optional<std::array<double, 3>> centre = std::nullopt;
};
EVENKEEL_API CentreOfWeight centre_of_weight(const Space& space, const Set& set);

// Returns the sum of the weights of this rank's vertices in the first constraint, or the number of
// vertices if there are no weights. Returns 0 if there are fewer weights than vertices, or if
// weights are not numbers. Local.
EVENKEEL_API double weight_of(const Space& space, const Graph& graph);

}  // namespace evenkeel
