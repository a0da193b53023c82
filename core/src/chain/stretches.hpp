#pragma once

// For each cut a set of offsets, as stretches from the left to the right that do not touch.

#include "common.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evenkeel::chain_search {

// Offsets in a row, and the prefix of the first.
template <class Number>
struct Stretch {
  std::int64_t first, last;
  Number sum;
};

template <class Number>
class Stretches {
 public:
  void clear(int parts) {
    stretches_.clear();
    ends_.assign(index_of(parts) + 2, 0);
  }
  // Cuts are added from the last to the first, the stretches of a cut from the left.
  void begin(int cut) { ends_[index_of(cut)] = stretches_.size(); }
  void add(int cut, const Stretch<Number>& stretch) {
    if (stretches_.size() > ends_[index_of(cut)] && stretches_.back().last + 1 >= stretch.first)
      stretches_.back().last = std::max(stretches_.back().last, stretch.last);
    else
      stretches_.push_back(stretch);
  }
  std::size_t first_of(int cut) const noexcept { return ends_[index_of(cut)]; }
  std::size_t end_of(int cut) const noexcept {
    return cut == 0 ? stretches_.size() : ends_[index_of(cut) - 1];
  }
  // The first stretch of a cut that does not end before an offset.
  std::size_t first_from(int cut, std::int64_t offset) const noexcept {
    std::size_t low = first_of(cut), high = end_of(cut);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (stretches_[middle].last < offset)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  // Returns a copy, because adding stretches moves them all in memory.
  Stretch<Number> operator[](std::size_t i) const noexcept { return stretches_[i]; }

 private:
  std::vector<Stretch<Number>> stretches_;
  std::vector<std::size_t> ends_;
};

}  // namespace evenkeel::chain_search
