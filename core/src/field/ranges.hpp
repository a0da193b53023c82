#pragma once

// Lists of objects as ranges, where they lie in long ones.

#include <evenkeel/core/field.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Shorter ranges than this, on average, are not worth it: their ends are hard to foresee, and while
// a processor is wrong about them it fetches nothing.
inline constexpr std::int64_t long_range = 32;

// From places in the list to objects; empty where ranges are short.
std::vector<ObjectRange> long_ranges(std::span<const std::int64_t> objects);

// Each of the following replaces what is in `into`, whose memory serves again and again. Ranges
// rise by `from`.

// What of the ranges is within [first, first + count), as if that began at 0.
void ranges_within(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count,
                   std::vector<ObjectRange>& into);

// From where [first_a, first_a + count) leads to by ranges a, to where [first_b, first_b + count)
// leads to by b, one after the other. Both ranges cover these.
void joined(std::span<const ObjectRange> a, std::int64_t first_a, std::span<const ObjectRange> b,
            std::int64_t first_b, std::int64_t count, std::vector<ObjectRange>& into);

// Where what goes to, comes from.
void invert(std::span<ObjectRange> ranges);

}  // namespace evenkeel
