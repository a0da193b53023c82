#pragma once

// Lists of objects as ranges, when the ranges are long.

#include <evenkeel/core/field.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Ranges that are shorter than this on average are not worth it: their ends are hard to predict,
// and while a processor mispredicts it prefetches nothing.
inline constexpr std::int64_t long_range = 32;

// The ranges from places in a list, which the host reaches, to objects; empty if ranges are short.
std::vector<ObjectRange> long_ranges(std::span<const std::int64_t> objects);

// Each of the following replaces the content of `into`, whose memory is reused. Ranges rise by
// `from`.

// The parts of the ranges within [first, first + count), counted from `first`.
void ranges_within(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count,
                   std::vector<ObjectRange>& into);

// Maps [first_a, first_a + count) through ranges `a`, and [first_b, first_b + count) through ranges
// `b`; the result leads from the former to the latter. `a` and `b` cover these intervals.
void joined(std::span<const ObjectRange> a, std::int64_t first_a, std::span<const ObjectRange> b,
            std::int64_t first_b, std::int64_t count, std::vector<ObjectRange>& into);

// Swaps source and destination of each range.
void invert(std::span<ObjectRange> ranges);

}  // namespace evenkeel
