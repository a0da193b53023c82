#pragma once

// Merges two runs in pieces that do not depend on each other, one piece per index.

#include <cstdint>

namespace evenkeel {

// How many objects of the first run are among the first `diagonal` of the merged run.
// other_first(i, j): object j of the second run comes before object i of the first.
template <class OtherFirst>
std::int64_t merged_of_first(std::int64_t size, std::int64_t others, std::int64_t diagonal,
                             const OtherFirst& other_first) {
  std::int64_t low = diagonal > others ? diagonal - others : 0;
  std::int64_t high = diagonal < size ? diagonal : size;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (other_first(middle, diagonal - 1 - middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Calls put_first(i, place) and put_other(j, place) for all objects whose place is in [begin, end).
// No branch depends on the order, because it is hard to predict.
template <class OtherFirst, class Put>
void merge_piece(std::int64_t size, std::int64_t others, std::int64_t begin, std::int64_t end,
                 const OtherFirst& other_first, const Put& put) {
  std::int64_t i = merged_of_first(size, others, begin, other_first);
  std::int64_t j = begin - i;
  std::int64_t place = begin;
  while (place < end && i < size && j < others) {
    const bool is_other = other_first(i, j);
    put(is_other, is_other ? j : i, place++);
    j += is_other ? 1 : 0;
    i += is_other ? 0 : 1;
  }
  for (; place < end && i < size; ++i) put(false, i, place++);
  for (; place < end && j < others; ++j) put(true, j, place++);
}

}  // namespace evenkeel
