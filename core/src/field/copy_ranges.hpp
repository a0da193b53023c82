#pragma once

// Copies objects by ranges of them, in host memory: what packing and unpacking are made of where
// data is in order.

#include <evenkeel/core/field.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

struct ObjectRange {
  std::int64_t from, to, count;
};

// to[range.to + i] = from[range.from + i], for all ranges. Both layouts hold the same values, do
// not overlap, and lie in memory that the host reaches. Blocks.
void copy_object_ranges(const FieldLayout& to, const FieldLayout& from,
                        std::span<const ObjectRange> ranges);

// Appends the ranges that copy objects[i] to `to` + i, where they have room: false, with nothing
// appended, when there are more than `ranges` has capacity for.
bool add_ranges(std::vector<ObjectRange>& ranges, std::span<const std::int64_t> objects,
                std::int64_t to);

}  // namespace evenkeel
