#pragma once

// Helpers of divided boxes on the host: their axes, and what a widened box reaches along an axis.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/axis.hpp>

#include <array>
#include <vector>

namespace evenkeel {

// As check(Box), but only for the axes that have a meaning.
void check_axes(int dimensions, const Box& box, const std::array<bool, 3>& periodic);

GridAxis axis_of(const Box& box, const std::array<bool, 3>& periodic, int axis);

// Places inside a box along an axis, both included.
struct Reach {
  double first, last;
};

// The images inside the box of the places in [lower, upper]: two stretches if they wrap around.
// Contains no places that belong to none of these.
std::vector<Reach> reaches_of(const GridAxis& along, double lower, double upper);

// The same for a box widened by `width` on all sides, along each axis.
std::array<std::vector<Reach>, 3> reaches_of(int dimensions, const Box& around,
                                             const std::array<bool, 3>& periodic, const Box& box,
                                             double width);

}  // namespace evenkeel
