#pragma once

// Ids as 64 bits, in the memory of a space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <string>

namespace evenkeel {

// Throws an Error for what does not hold integers, or holds too few.
void check_ids(const FieldLayout& at, const std::string& label, std::int64_t count);

// Of how many objects ids are given.
std::int64_t count_of(const NumberSource& ids, const OwnedCount& count);

// The ids of the first `count` objects, component by component of each. Blocks.
exec::Array<std::uint64_t> read_ids(const Space& space, const NumberSource& ids,
                                    std::int64_t count);

// Sorted ids, and the place that each had; equal ids in the order of their places. Blocks.
struct SortedIds {
  exec::Array<std::uint64_t> ids, places;
};
SortedIds sorted(const Space& space, exec::Array<std::uint64_t> ids);

// The first of sorted ids that is not below an id; for kernels.
KOKKOS_INLINE_FUNCTION std::int64_t first_not_below(const std::uint64_t* ids, std::int64_t count,
                                                    std::uint64_t id) {
  std::int64_t first = 0;
  for (std::int64_t rest = count; rest > 0;) {
    const std::int64_t half = rest / 2;
    const bool is_below = ids[first + half] < id;
    first += is_below ? half + 1 : 0;
    rest = is_below ? rest - half - 1 : half;
  }
  return first;
}

}  // namespace evenkeel
