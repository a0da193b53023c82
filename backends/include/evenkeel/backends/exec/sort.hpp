#pragma once

// Radix sort of (key, index) pairs, where the data lives. Free of Kokkos.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel::exec {

// The bits [begin, end) of a key are compared, the others are carried along. Bits that a key type
// does not have count as zero.
struct KeyBits {
  int begin = 0;
  int end = 64;
};

// Sorts pairs by key, ascending; pairs with equal keys stay in the order in which they came. Hence
// the result is the same on every space and for any number of threads. Both arrays lie in memory
// that `space` reaches. Whatever bits the keys have in common cost nothing; on hosts, data that is
// sorted or nearly sorted takes a short cut. Needs room for a second copy of the pairs, less when
// they are nearly sorted; a refused allocation is an Error and leaves the pairs as they were. So
// is a count that Index cannot hold, or a bit outside of [0, 64]. Runs after what was launched on
// `space` before, and blocks until it is done.
//
// Key and Index: std::uint32_t or std::uint64_t.
template <class Key, class Index>
EVENKEEL_API void sort_pairs(const Space& space, Key* keys, Index* indices, std::int64_t count,
                             KeyBits bits = {});

}  // namespace evenkeel::exec
