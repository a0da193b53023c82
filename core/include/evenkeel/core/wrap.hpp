#pragma once

// Positions in a box with periodic axes. Ownership wraps around by itself; positions stay as the
// application has left them, unless it asks for this.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/set.hpp>

#include <array>

namespace evenkeel {

// Brings the owned objects of a set back into the box along its periodic axes: to the place in it
// that is whole periods away, at or above the lower face and below the upper one. Other places do
// not change, nor do those that are not finite. `space` must reach the positions. Local. Blocks.
EVENKEEL_API void wrap(const Space& space, const Set& set, const Box& box,
                       const std::array<bool, 3>& periodic);

}  // namespace evenkeel
