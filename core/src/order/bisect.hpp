#pragma once

// Binary search. In the functions for kernels no branch depends on a comparison.

#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdint>

namespace evenkeel {

// Returns how many of `count` items are before a point. is_before(i) must be true for these items,
// which must come first.
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

// Does the same for functions that only hosts can call, such as lambdas outside of kernels.
template <class IsBefore>
std::int64_t count_before_on_host(std::int64_t count, const IsBefore& is_before) {
  std::int64_t first = 0, last = count;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (is_before(middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// Returns the number of ascending values that are below `value`.
template <class T>
KOKKOS_INLINE_FUNCTION std::int64_t place_in(const T* ascending, std::int64_t count, T value) {
  return count_before(count, [&](std::int64_t i) { return ascending[i] < value; });
}

// Returns the part that contains a place: the last part that begins at or before it.
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

// Finds the rank that owns the part that contains a place.
struct OwnerOfPlace {
  const std::int64_t* offsets;  // first place of each part
  std::int64_t parts;
  const int* rank_of_part;  // null if part p belongs to rank p
  KOKKOS_FUNCTION int operator()(std::int64_t place) const {
    const std::int64_t part = part_at(offsets, parts, place);
    return rank_of_part == nullptr ? static_cast<int>(part) : rank_of_part[part];
  }
};

}  // namespace evenkeel
