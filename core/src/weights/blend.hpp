#pragma once

// Weights made of other weights. All are in memory that a space reaches; empty weights are all 1.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

// Weights that differ less. `by_count` is from 0 (as they are) to 1 (all are the mean). Does not
// block.
exec::Array<double> blended(const Space& space, std::span<const double> weights,
                            std::int64_t objects, double mean, double by_count);

// Scales weights whose sum is `sum` so that they add up to `load`. Does not block.
exec::Array<double> scaled(const Space& space, std::span<const double> weights,
                           std::int64_t objects, double sum, double load);

// The sum of the weights of this many objects. Blocks.
double sum_over(const Space& space, std::span<const double> weights, std::int64_t objects);

}  // namespace evenkeel
