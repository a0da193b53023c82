#pragma once

// Objects that move as one, and objects that stay where they are.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/set.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// The rank that an object must go to, for each object of each set.
struct Bonds {
  static constexpr int free = -1;      // wherever its key says
  std::vector<exec::Array<int>> held;  // per set, in the memory of its order; empty: all are free
};

// Collective. Objects of all sets and ranks whose group has the same number get the least key among
// them, and the orders are sorted again: a cut keeps objects with one key together. Pinned objects
// are held where they are, and the rest of their group goes there too; a group that is pinned on
// two ranks is an Error. What is known of a group is gathered on one rank, which its number
// determines. All orders are in one memory.
// `status` as in cut().
EVENKEEL_API Bonds hold_together(const Communicator& communicator, const Status& status,
                                 std::span<const Set> sets, std::span<Order> orders);

}  // namespace evenkeel
