#pragma once

// Where the borders of a grid may stand, for all code that proposes borders.

#include "boxes/rows/row.hpp"

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/shape.hpp>

#include <array>

namespace evenkeel {

struct GridRules {
  Box box;
  std::array<double, 3> least_width = {};  // of a domain, along each axis
  std::array<double, 3> cell_size = {};    // borders stand at multiples from the lower face
  RowRules along(int axis) const;
};

// Throws an Error for widths and cells that are not valid, and for widths that do not fit the box;
// that Error names the greatest width that fits.
void check(const GridRules& rules, const GridShape& shape);

}  // namespace evenkeel
