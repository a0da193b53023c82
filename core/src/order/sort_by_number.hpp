#pragma once

// Sorts objects by a number that each object has: the part or the rank that it goes to.

#include <evenkeel/core/order.hpp>

#include <vector>

namespace evenkeel {

struct SortedByNumber {
  exec::Array<std::int64_t> places;   // sorted by number; equal numbers keep their order
  std::vector<std::int64_t> offsets;  // the begin of each number, then the count of all
};

// `numbers` holds one number below `end` per place, and is sorted afterwards. Blocks.
SortedByNumber sort_by_number(const Space& space, const exec::Array<std::uint32_t>& numbers,
                              std::int64_t end);

// An order whose i-th entry is entry places[i] of `order`. Blocks.
Order chosen(const Space& space, const Order& order, const exec::Array<std::int64_t>& places);

}  // namespace evenkeel
