#pragma once

// Borders of a tensor grid on a model of the work. As in tensor.hpp no row can be chosen by itself:
// each in turn is put where the heaviest of all domains is lightest, given the present rows along
// the other axes. That ends in one of many local optima (valleys), so many starts are tried.

#include "boxes/from_work/density.hpp"
#include "boxes/from_work/grid_frame.hpp"
#include "boxes/from_work/unit_grid.hpp"

#include <span>

namespace evenkeel {

enum class TensorSearch {
  none,      // rows that are even by themselves: enough for a model that knows little
  elsewhere  // the valley of `now`, unless there is a clearly deeper one
};

// The result depends only on the arguments: the random starts are always the same.
UnitGrid tensor_cut(const Density& density, std::span<const double> speeds, const GridFrame& frame,
                    const UnitGrid& now, TensorSearch search);

}  // namespace evenkeel
