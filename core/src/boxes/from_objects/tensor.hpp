#pragma once

// Cuts into a tensor grid by objects. The best row along one axis depends on the rows of the other
// axes. So each row in turn is put where the heaviest domain is as light as possible, given the
// present other rows, until that gains nothing. The result is a local optimum.

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
