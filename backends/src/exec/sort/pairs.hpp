#pragma once

// Pairs in memory that belongs to the caller: the keys in one array, the indices in another.

#include <algorithm>
#include <cstdint>

namespace evenkeel::exec::host_sort {

template <class Key, class Index>
struct Pairs {
  Key* keys;
  Index* indices;

  Pairs from(std::int64_t first) const { return {keys + first, indices + first}; }
};

template <class Key, class Index>
void copy(const Pairs<Key, Index>& from, const Pairs<Key, Index>& to, std::int64_t count) {
  std::copy_n(from.keys, count, to.keys);
  std::copy_n(from.indices, count, to.indices);
}

}  // namespace evenkeel::exec::host_sort
