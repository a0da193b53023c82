#pragma once

// Lists of objects as ranges, when the ranges are long.

#include <evenkeel/core/field.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Ranges that are shorter than this on average cost more than they gain: their ends are hard to
// predict, and a processor that mispredicts prefetches nothing.
inline constexpr std::int64_t long_range = 32;

// The ranges from places in a list, which the host reaches, to objects; empty if ranges are short.
std::vector<ObjectRange> long_ranges(std::span<const std::int64_t> objects);

// The range that holds a place, or the first range after it. Ranges are in ascending order of
// `from`.
std::span<const ObjectRange>::iterator range_of(std::span<const ObjectRange> ranges,
                                                std::int64_t place);

// Each of the following replaces the content of `into`, whose memory is reused. Ranges are in
// ascending order of `from`.

// The parts of the ranges within [first, first + count), counted from `first`.
void ranges_within(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count,
                   std::vector<ObjectRange>& into);

// Maps [first_a, first_a + count) through ranges `a`, and [first_b, first_b + count) through ranges
// `b`; the result maps the first image to the second. `a` and `b` cover these intervals.
void joined(std::span<const ObjectRange> a, std::int64_t first_a, std::span<const ObjectRange> b,
            std::int64_t first_b, std::int64_t count, std::vector<ObjectRange>& into);

// Swaps source and destination of each range.
void invert(std::span<ObjectRange> ranges);

}  // namespace evenkeel
