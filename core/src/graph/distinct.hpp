#pragma once

// The distinct ones among many numbers.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdint>

namespace evenkeel::graphs {

// Ascending. Sorts the values where they are. Blocks.
exec::Array<std::uint64_t> distinct(const Space& space, const exec::Array<std::uint64_t>& values);

// How many of the ascending values are below this one.
KOKKOS_INLINE_FUNCTION std::int64_t place_in(const std::uint64_t* ascending, std::int64_t count,
                                             std::uint64_t value) {
  std::int64_t at = 0;
  for (std::int64_t rest = count; rest > 0;) {
    const std::int64_t half = rest / 2;
    const bool is_below = ascending[at + half] < value;
    at += is_below ? half + 1 : 0;
    rest = is_below ? rest - half - 1 : half;
  }
  return at;
}

}  // namespace evenkeel::graphs
