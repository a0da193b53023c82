#pragma once

// Blocks of indices, for reductions and scans. Kokkos passes the partial result to the functor by
// reference. A host compiler must assume that any store may change the partial result, so it cannot
// keep it in a register. Therefore a functor on a host gets a block of indices, and keeps its
// partial result in a local variable. On a device it gets one index at a time, as coalesced access
// requires.

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel::exec::detail {

template <class Instance>
inline constexpr std::int64_t block_length = is_device<Instance> ? 1 : 1024;

// The number of blocks for `count` indices.
template <class Instance>
std::int64_t blocks_of(std::int64_t count) {
  if (count < 0)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "A kernel over " + std::to_string(count) + " objects was asked for.",
                "Counts cannot be negative.");
  constexpr std::int64_t length = block_length<Instance>;
  return count / length + (count % length != 0 ? 1 : 0);
}

// One past the last index of a block.
template <class Instance>
KOKKOS_FUNCTION std::int64_t end_of_block(std::int64_t block, std::int64_t count) {
  const std::int64_t end = (block + 1) * block_length<Instance>;
  return end < count ? end : count;
}

}  // namespace evenkeel::exec::detail
