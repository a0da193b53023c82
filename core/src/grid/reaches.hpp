#pragma once

// What divided boxes share on the host: their axes, and what of an axis a widened box reaches.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/grid/axis.hpp>

#include <array>
#include <vector>

namespace evenkeel {

// As check(Box), of the axes that have a meaning.
void check_axes(int dimensions, const Box& box, const std::array<bool, 3>& periodic);

GridAxis axis_of(const Box& box, const std::array<bool, 3>& periodic, int axis);

// Places inside a box along an axis, both included.
struct Reach {
  double first, last;
};

// Where the places of [lower, upper] are inside: two stretches where they wrap around. Those of no
// other place are in none.
std::vector<Reach> reaches_of(const GridAxis& along, double lower, double upper);

// Of a box widened by `width` on all sides, along each axis.
std::array<std::vector<Reach>, 3> reaches_of(int dimensions, const Box& around,
                                             const std::array<bool, 3>& periodic, const Box& box,
                                             double width);

}  // namespace evenkeel
