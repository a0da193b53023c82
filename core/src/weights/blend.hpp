#pragma once

// Makes weights from other weights. All weights are in memory that the space can access. If weights
// are empty, all are 1.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

// Returns weights that differ less. With `by_count` 0 they do not change, and with 1 all become the
// mean. Does not block.
exec::Array<double> blended(const Space& space, std::span<const double> weights,
                            std::int64_t objects, double mean, double by_count);

// Scales weights so that their sum, which is `sum` now, becomes `load`. Does not block.
exec::Array<double> scaled(const Space& space, std::span<const double> weights,
                           std::int64_t objects, double sum, double load);

// Returns the sum of the weights of `objects` objects. Blocks.
double sum_over(const Space& space, std::span<const double> weights, std::int64_t objects);

}  // namespace evenkeel
