#pragma once

// The ways to a next grid: two cuts of a model of the work, and the rule of the ALL library.

#include "boxes/from_work/density.hpp"
#include "boxes/from_work/grid_frame.hpp"

namespace evenkeel {

// Staggered borders: planes, columns in each plane, cells in each column. Work is divided in
// proportion to the speeds of domains.
UnitGrid staggered_cut(const Density& density, std::span<const double> speeds,
                       const GridFrame& frame);

// Borders of a tensor grid. As in tensor.hpp, each row in turn is put where the heaviest domain is
// as light as possible, given the present rows along the other axes. That ends in one of many local
// optima (valleys); therefore several starts are tried.
enum class TensorSearch {
  none,      // rows that are even by themselves: enough for a model that knows little
  elsewhere  // the valley of `now`, unless there is a clearly deeper one
};

// The result depends only on the arguments: the random starts are always the same.
UnitGrid tensor_cut(const Density& density, std::span<const double> speeds, const GridFrame& frame,
                    const UnitGrid& now, TensorSearch search);

// The rule of the ALL library (https://gitlab.jsc.fz-juelich.de/SLMS/loadbalancing): each border
// moves towards the heavier of its two neighbours.
//
// Each border moves by (1 / gamma) (W_below - W_above) / (W_below + W_above) of half the width
// between its neighbours, and by less than half of the domain that gets narrower. Planes move by
// the work of planes, columns in a plane by that of columns, ...; in a tensor grid, all borders by
// the work of slabs. If gamma is 0, max(4.1, 1.1 (1 + widest / narrowest)) along each axis is used.
UnitGrid relaxed(const UnitGrid& grid, GridScheme scheme, std::span<const double> loads,
                 double gamma, const GridFrame& frame);

}  // namespace evenkeel
