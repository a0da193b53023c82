#pragma once

// What stretches of objects cost that lie side by side in their arrays.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

// Adds to the cost of each object its share of what its stretch costs. `objects`: that were divided
// into stretches by stretch_begin; there may be fewer now, or more, which get the mean. Blocks.
EVENKEEL_API void add_stretches(std::span<const double> stretches, std::int64_t objects,
                                const exec::Array<double>& costs);

}  // namespace evenkeel
