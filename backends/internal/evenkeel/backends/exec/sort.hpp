#pragma once

// Radix sort of (key, index) pairs, on the host or the device, wherever they lie. Free of Kokkos.

#include <evenkeel/backends/exec/space.hpp>

namespace evenkeel::exec {

// The sort compares the bits [begin, end) of a key and carries the others along. Bits that a key
// type does not have count as zero.
struct KeyBits {
  int begin = 0;
  int end = 64;
};

// Sorts pairs by key, ascending; pairs with equal keys keep their order. Hence the result is the
// same on every space and for any number of threads. Both arrays lie in memory that `space` can
// reach. Bits that all keys have in common cost nothing; on hosts, sorted and nearly sorted pairs
// take a short cut. Needs memory for a second copy of the pairs, less when they are nearly sorted.
// A refused allocation is an Error and leaves the pairs as they were; so is a count that Index
// cannot hold, or a bit outside of [0, 64]. Runs after all work launched on `space` before, and
// blocks.
//
// Key and Index: std::uint32_t or std::uint64_t.
template <class Key, class Index>
EVENKEEL_API void sort_pairs(const Space& space, Key* keys, Index* indices, std::int64_t count,
                             KeyBits bits = {});

}  // namespace evenkeel::exec
