#pragma once

// Binary search, for kernels too. No branch depends on the comparisons.

#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdint>

namespace evenkeel {

// The number of items before a point: the first ones of `count` items, for which is_before(i) is
// true.
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

// The same for functions that can be called only on hosts, such as lambdas outside of kernels.
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

// The number of ascending values that are below this one.
template <class T>
KOKKOS_INLINE_FUNCTION std::int64_t place_in(const T* ascending, std::int64_t count, T value) {
  return count_before(count, [&](std::int64_t i) { return ascending[i] < value; });
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

// The rank that owns the part that holds a place.
struct OwnerOfPlace {
  const std::int64_t* offsets;  // of parts
  std::int64_t parts;
  const int* rank_of_part;  // null if part p belongs to rank p
  KOKKOS_FUNCTION int operator()(std::int64_t place) const {
    const std::int64_t part = part_at(offsets, parts, place);
    return rank_of_part == nullptr ? static_cast<int>(part) : rank_of_part[part];
  }
};

}  // namespace evenkeel
