#pragma once

// Two copies of the pairs that a device sorts, which go back and forth between them.

#include <utility>

namespace evenkeel::exec::device_sort {

// Sorts leave the result in `keys` and `indices`, whichever copy that is by then.
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
