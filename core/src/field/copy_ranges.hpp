#pragma once

// Copies objects in host memory by ranges. It packs and unpacks objects that are in long ranges.

#include <evenkeel/core/field.hpp>

#include <span>

namespace evenkeel {

// For each range, copies object range.from + i of `from` to object range.to + i of `to`. Both
// layouts have the same values per object, do not overlap, and are in memory that the host can
// access. Blocks.
void copy_object_ranges(const FieldLayout& to, const FieldLayout& from,
                        std::span<const ObjectRange> ranges);

}  // namespace evenkeel
