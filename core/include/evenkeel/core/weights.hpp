#pragma once

// What objects cost, relative to each other.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The weights that came with a set, one per owned object. Throws an Error when none came, and when
// one is negative, NaN or infinite. Local.
EVENKEEL_API std::vector<double> given_weights(const Space& space, const Set& set);

// What measurement says, when the application gave no weights: the seconds of this rank spread over
// its objects. A share of it, `followed`, follows the objects' earlier `weights`, which travel with
// them, so that what was learned on other ranks is not lost; the rest is spread evenly. Weights
// whose number is not `objects` (the application has made or removed some) are forgotten. The mean
// per object stays within a factor of 100 of `mean_cost`, that of all ranks. Local.
EVENKEEL_API std::vector<double> measured_weights(std::int64_t objects, double cost,
                                                  double mean_cost, std::span<const double> weights,
                                                  double followed = 0.5);

}  // namespace evenkeel
