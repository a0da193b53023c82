#pragma once

// Checks that all ranks bring the same sets.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/set.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Fields of a set as all ranks know them.
struct SetShape {
  int dimensions = 0;           // of the position; 0 while no rank knows
  std::vector<int> components;  // of each field
};

// Collective. Throws the same Error on all ranks when the sets of one cannot be moved, or when
// ranks have different sets: another number or order of fields, other types, other memory. A rank
// whose View was never given extents learns its components from the others.
EVENKEEL_API std::vector<SetShape> agree_on_sets(const Communicator& communicator,
                                                 std::span<const Set> sets);

}  // namespace evenkeel
