#pragma once

// Checks and reports for all methods that cut into boxes.

#include "boxes/from_objects/sections.hpp"
#include "boxes/rows/grid_rules.hpp"

namespace evenkeel {

void check_box_cut(const BoxCutOptions& options, int parts, int dimensions);
void check_points(std::span<const WeightedPoints> points, int dimensions);

// Collective. Adds the counts of `sections` to the report of the cut. The weights of the parts must
// be set already.
void finish(BoxCut& cut, const Sections& sections, const Census& all);

}  // namespace evenkeel
