#pragma once

// Objects that move as one, and objects that stay where they are.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/set.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// The rank that an object must go to, for each object of each set.
struct Bonds {
  static constexpr int free = -1;      // wherever its key says
  std::vector<std::vector<int>> held;  // of each set; empty: all its objects are free
};

// Collective. Objects of all sets and ranks whose group has the same number get the least key among
// them, and orders are in order again: a cut keeps objects of one key together. Objects that are
// pinned are held where they are, and the rest of their group goes there too; a group that is
// pinned on two ranks is an Error. Asks, about each group, one rank that looks after its number.
// `status` as in cut().
EVENKEEL_API Bonds hold_together(const Communicator& communicator, const Status& status,
                                 std::span<const Set> sets, std::span<Order> orders);

}  // namespace evenkeel
