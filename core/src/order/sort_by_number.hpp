#pragma once

// Sorts objects by a number of each object, such as the part or the rank to which it goes.

#include <evenkeel/core/order.hpp>

#include <vector>

namespace evenkeel {

struct SortedByNumber {
  // sorted by number; places with equal numbers keep their order
  exec::Array<std::int64_t> places;
  std::vector<std::int64_t> offsets;  // the begin of each number in `places`, then the number of
                                      // all places
};

// `numbers` has one number for each place; each is below `end`. Afterwards `numbers` is sorted.
// Blocks.
SortedByNumber sort_by_number(const Space& space, const exec::Array<std::uint32_t>& numbers,
                              std::int64_t end);

// Returns the order that consists of the entries places[i] of `order`. Blocks.
Order chosen(const Space& space, const Order& order, const exec::Array<std::int64_t>& places);

}  // namespace evenkeel
