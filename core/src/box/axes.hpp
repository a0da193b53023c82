#pragma once

// Checks the axes of boxes that will be divided, on the host.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/box/axis.hpp>
#include <evenkeel/core/box/bounds.hpp>

namespace evenkeel {

// Like check(Box), but checks only the first `dimensions` axes.
void check_axes(int dimensions, const Box& box, const std::array<bool, 3>& periodic);

// Returns true if the bounds `found` are inside the box.
bool is_inside(const Box& box, const Bounds& found);

GridAxis axis_of(const Box& box, const std::array<bool, 3>& periodic, int axis);

}  // namespace evenkeel
