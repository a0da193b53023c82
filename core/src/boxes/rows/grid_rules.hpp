#pragma once

// The rules for the borders of a grid, for all code that proposes borders.

#include "boxes/rows/row.hpp"

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/grid.hpp>

#include <array>
#include <string>

namespace evenkeel {

inline constexpr const char* grid_stage = "core/boxes";
[[noreturn]] void refuse_grid(const std::string& problem, const std::string& remedy);

struct GridRules {
  Box box;
  std::array<double, 3> least_width = {};  // of a domain, by axis
  // by axis; borders are at multiples of it from the lower face
  std::array<double, 3> cell_size = {};
  RowRules along(int axis) const;
};

// Throws an Error if a width or a cell is not valid, or if domains of the least width do not fit
// into the box. In the second case the Error names the greatest width that fits.
void check(const GridRules& rules, const GridShape& shape);

}  // namespace evenkeel
