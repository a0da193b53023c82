#pragma once

// Tensor grids from objects. No row can be chosen by itself. Each row in turn is put where the
// heaviest domain is as light as possible, given the present rows along the other axes, until that
// gains nothing. The result is a local optimum.

#include "boxes/from_objects/sections.hpp"
#include "boxes/rows/row.hpp"

namespace evenkeel {

// The most pieces that any level has in the process.
std::int64_t tensor_pieces(const GridShape& shape) noexcept;

// Collective. Sets the borders of the cut, whose axes must be set; the sections count its domains.
void cut_tensor(GridCut& cut, Sections& sections, const GridCutOptions& options,
                const std::array<RowRules, 3>& rules);  // along each axis

}  // namespace evenkeel
