#pragma once

// Represents a list of objects as ranges, if the ranges are long.

#include <evenkeel/core/field.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// If ranges are shorter than this on average, a list of objects is faster: a processor cannot
// predict the ends of short ranges, and then prefetches nothing.
inline constexpr std::int64_t long_range = 32;

// Returns ranges that map places in the list to objects. Returns nothing if ranges are short. The
// host must be able to access the list.
std::vector<ObjectRange> long_ranges(std::span<const std::int64_t> objects);

// Returns the range that contains a place, or else the first range after it. `ranges` is in
// ascending order of `from`.
std::span<const ObjectRange>::iterator range_of(std::span<const ObjectRange> ranges,
                                                std::int64_t place);

// The next two functions replace the content of `into`, and reuse its memory. Their ranges are in
// ascending order of `from`.

// Cuts out the parts of ranges whose `from` is in [first, first + count). In the result, `from`
// counts from `first`.
void ranges_within(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count,
                   std::vector<ObjectRange>& into);

// Joins two maps. For each i in [0, count), the result maps a(first_a + i) to b(first_b + i), where
// a(x) and b(x) are the images of place x. All these places must be in ranges.
void joined(std::span<const ObjectRange> a, std::int64_t first_a, std::span<const ObjectRange> b,
            std::int64_t first_b, std::int64_t count, std::vector<ObjectRange>& into);

// Swaps source and destination of each range.
void invert(std::span<ObjectRange> ranges);

}  // namespace evenkeel
