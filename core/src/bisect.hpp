#pragma once

// Binary search, for kernels too: no branch depends on what is found.

#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdint>

namespace evenkeel {

// How many of `count` items in a row come before a point: the first ones, for which is_before(i)
// holds.
template <class IsBefore>
KOKKOS_INLINE_FUNCTION std::int64_t count_before(std::int64_t count, const IsBefore& is_before) {
  std::int64_t first = 0;
  for (std::int64_t rest = count; rest > 0;) {
    const std::int64_t half = rest / 2;
    const bool is_below = is_before(first + half);
    first += is_below ? half + 1 : 0;
    rest = is_below ? rest - half - 1 : half;
  }
  return first;
}

// The part that holds a place: the last one that begins there or before.
KOKKOS_INLINE_FUNCTION std::int64_t part_at(const std::int64_t* offsets, std::int64_t parts,
                                            std::int64_t place) {
  std::int64_t part = 0;
  for (std::int64_t rest = parts; rest > 1;) {
    const std::int64_t half = rest / 2;
    part += offsets[part + half] <= place ? half : 0;
    rest -= half;
  }
  return part;
}

}  // namespace evenkeel
