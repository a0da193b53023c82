#pragma once

// Cuts into a tensor grid by objects. The best row of borders along one axis depends on the rows
// along the other axes. So one row after the other is replaced by the row that makes the heaviest
// domain lightest under the present other rows, until this gains nothing. The result is a local
// optimum.

#include "boxes/from_objects/sections.hpp"
#include "boxes/rows/row.hpp"

namespace evenkeel {

// Returns the greatest number of pieces in any level of the process.
std::int64_t tensor_pieces(const GridShape& shape) noexcept;

// Collective. Sets the borders of `cut`, whose axes must be set, and leaves `sections` divided into
// its domains.
void cut_tensor(GridCut& cut, Sections& sections, const GridCutOptions& options,
                const std::array<RowRules, 3>& rules);  // by axis

}  // namespace evenkeel
