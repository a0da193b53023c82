#pragma once

// Copies segments of different lengths.

#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>

namespace evenkeel {

// Segment k begins at byte starts[objects[k]] - base and ends where the next entry of `starts`
// begins; a null list means 0, 1, 2, ...
struct Segments {
  const std::int64_t* starts;
  const std::int64_t* objects;
  std::int64_t base;
};

// Copies segment k of one side to segment k of the other, for k in [0, count); both have the same
// number of bytes. All starts are multiples of `unit`. Lists and data are in memory that `space`
// reaches; nothing overlaps. Does not block.
void copy_segments(const Space& space, std::int64_t unit, std::byte* to,
                   const Segments& to_segments, const std::byte* from,
                   const Segments& from_segments, std::int64_t count);

}  // namespace evenkeel
