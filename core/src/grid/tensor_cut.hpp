#pragma once

// Borders of a tensor grid on a model of the work. As in tensor.hpp no row can be chosen by itself:
// each is put where the heaviest of all domains is lightest for the rows that there are along the
// other axes, in turn. That ends in one of many valleys, so that many starts are tried.

#include "grid/density.hpp"
#include "grid/grid_frame.hpp"
#include "grid/unit_grid.hpp"

#include <span>

namespace evenkeel {

enum class TensorSearch {
  none,      // rows that are even in themselves: a model that knows little is not worth more
  elsewhere  // the valley of `now`, unless there is a clearly deeper one
};

// The same for the same arguments: starts are random, but always the same.
UnitGrid tensor_cut(const Density& density, std::span<const double> speeds, const GridFrame& frame,
                    const UnitGrid& now, TensorSearch search);

}  // namespace evenkeel
