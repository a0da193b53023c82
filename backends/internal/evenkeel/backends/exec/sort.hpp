#pragma once

// Radix sort of (key, index) pairs, in the memory of the host or the device. This header does not
// include Kokkos.

#include <evenkeel/backends/exec/space.hpp>

namespace evenkeel::exec {

// The sort compares only the bits [begin, end) of keys. Bits that a key type does not have count as
// zero.
struct KeyBits {
  int begin = 0;
  int end = 64;
};

// Sorts pairs by key, ascending; pairs with equal keys keep their order. Hence the result is the
// same on every space and for any number of threads. `space` must reach the memory of both arrays.
// Bits that are equal in all keys take no time, except if a device sorts few keys. On hosts, sorted
// and nearly sorted pairs are sorted faster. Needs memory for a second copy of the pairs, or less
// if they are nearly sorted. Throws an Error if memory is refused, if Index cannot hold the count,
// or if a bit is outside of [0, 64]; then the pairs have not changed. Runs after all work launched
// earlier on `space`, and blocks.
//
// Key and Index are std::uint32_t or std::uint64_t.
template <class Key, class Index>
EVENKEEL_API void sort_pairs(const Space& space, Key* keys, Index* indices, std::int64_t count,
                             KeyBits bits = {});

}  // namespace evenkeel::exec
