#pragma once

// Where pairs lie: their keys in one array, their indices in another, owned by neither.

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
