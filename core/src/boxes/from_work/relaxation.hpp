#pragma once

// The rule of the ALL library (https://gitlab.jsc.fz-juelich.de/SLMS/loadbalancing): each border
// moves towards the heavier of its two neighbours.

#include "boxes/from_work/grid_frame.hpp"
#include "boxes/from_work/unit_grid.hpp"

#include <span>

namespace evenkeel {

// Each border moves by (1 / gamma) (W_below - W_above) / (W_below + W_above) of half the width
// between its neighbours, and by less than half of the domain that gets narrower. Planes move by
// the work of planes, columns in a plane by that of columns, ...; in a tensor grid, all borders by
// the work of slabs. gamma 0: max(4.1, 1.1 (1 + widest / narrowest)), along each axis.
UnitGrid relaxed(const UnitGrid& grid, GridScheme scheme, std::span<const double> loads,
                 double gamma, const GridFrame& frame);

}  // namespace evenkeel
