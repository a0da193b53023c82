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

// Returns the greater of two weights of each object, after each is multiplied by a factor. Does not
// block.
exec::Array<double> greater_of(const Space& space, std::span<const double> first,
                               double first_factor, std::span<const double> second,
                               double second_factor, std::int64_t objects);

// Returns the sum of the weights of `objects` objects. Blocks.
double sum_over(const Space& space, std::span<const double> weights, std::int64_t objects);

}  // namespace evenkeel
