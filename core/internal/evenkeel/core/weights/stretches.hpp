#pragma once

// Computes costs of objects from costs of stretches, which are objects next to each other in
// memory.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

// Adds to the cost of each object its share of the cost of its stretch. `objects` is the number of
// objects that stretch_begin() divided into stretches. The number of `costs` may differ from that;
// costs of further objects grow by the mean share. Blocks.
EVENKEEL_API void add_stretches(std::span<const double> stretches, std::int64_t objects,
                                const exec::Array<double>& costs);

}  // namespace evenkeel
