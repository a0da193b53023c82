#pragma once

// Staggered borders on a model of the work: planes, columns in each plane, cells in each column.

#include "boxes/from_work/density.hpp"
#include "boxes/from_work/grid_frame.hpp"
#include "boxes/from_work/unit_grid.hpp"

#include <span>

namespace evenkeel {

// Work is divided in proportion to the speeds of domains.
UnitGrid staggered_cut(const Density& density, std::span<const double> speeds,
                       const GridFrame& frame);

}  // namespace evenkeel
