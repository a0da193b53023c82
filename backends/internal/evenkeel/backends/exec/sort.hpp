#pragma once

// Radix sort of (key, index) pairs, in the memory of the host or the device. This header does not
// include Kokkos.

#include <evenkeel/backends/exec/space.hpp>

namespace evenkeel::exec {

// The sort compares the bits [begin, end) of a key and carries the others along. Bits that a key
// type does not have count as zero.
struct KeyBits {
  int begin = 0;
  int end = 64;
};

// Sorts pairs by key, ascending; pairs with equal keys keep their order. Hence the result is the
// same on every space and for any number of threads. `space` must reach the memory of both arrays.
// Bits that all keys share cost nothing, except if a device sorts few keys; on hosts, sorted and
// nearly sorted pairs take a short cut. Needs memory for a second copy of the pairs, or less if
// they are nearly sorted. A refused allocation is an Error, and so is a count that Index cannot
// hold, or a bit outside of [0, 64]; the pairs then stay as they were. Runs after all work launched
// earlier on `space`, and blocks.
//
// Key and Index are std::uint32_t or std::uint64_t.
template <class Key, class Index>
EVENKEEL_API void sort_pairs(const Space& space, Key* keys, Index* indices, std::int64_t count,
                             KeyBits bits = {});

}  // namespace evenkeel::exec
