#pragma once

// Copies objects by ranges, in host memory, for packing and unpacking objects that are in order.

#include <evenkeel/core/field.hpp>

#include <span>

namespace evenkeel {

// to[range.to + i] = from[range.from + i], for all ranges. Both layouts hold the same values, do
// not overlap, and are in memory that the host reaches. Blocks.
void copy_object_ranges(const FieldLayout& to, const FieldLayout& from,
                        std::span<const ObjectRange> ranges);

}  // namespace evenkeel
