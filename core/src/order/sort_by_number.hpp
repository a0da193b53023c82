#pragma once

// Sorts objects by a number that each of them has: the part or the rank that it goes to.

#include <evenkeel/core/order.hpp>

#include <vector>

namespace evenkeel {

struct SortedByNumber {
  // sorted by number; places with equal numbers keep their order
  exec::Array<std::int64_t> places;
  std::vector<std::int64_t> offsets;  // where each number begins, then the count of all
};

// `numbers` has one number for each place; each is below `end`. Afterwards `numbers` is sorted.
// Blocks.
SortedByNumber sort_by_number(const Space& space, const exec::Array<std::uint32_t>& numbers,
                              std::int64_t end);

// Returns the order that consists of the entries places[i] of `order`. Blocks.
Order chosen(const Space& space, const Order& order, const exec::Array<std::int64_t>& places);

}  // namespace evenkeel
