#pragma once

// Two copies of the pairs that a device sorts; each pass moves the pairs from one to the other.

#include <utility>

namespace evenkeel::exec::device_sort {

// Sorts leave the result in `keys` and `indices`, which may then point to either copy.
template <class Key, class Index>
struct Copies {
  Key *keys, *other_keys;
  Index *indices, *other_indices;

  void swap() {
    std::swap(keys, other_keys);
    std::swap(indices, other_indices);
  }
};

}  // namespace evenkeel::exec::device_sort
