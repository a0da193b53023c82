#pragma once

// Three ways to find the next grid: two of them cut a model of the work, and one is the rule of the
// ALL library.

#include "boxes/from_work/density.hpp"
#include "boxes/from_work/grid_frame.hpp"

namespace evenkeel {

// Returns a staggered grid: planes, columns within each plane, and cells within each column. The
// work is divided in proportion to the speeds of domains.
UnitGrid staggered_cut(const Density& density, std::span<const double> speeds,
                       const GridFrame& frame);

// How tensor_cut() searches. As in tensor.hpp, one row after the other is replaced by the row that
// makes the heaviest domain lightest. This ends in one of many local optima (valleys), so several
// starts are tried.
enum class TensorSearch {
  none,      // no search: each row is even by itself. Enough for a poor model
  elsewhere  // keep the valley of `now`, unless another valley is clearly better
};

// The result depends only on the arguments, because random starts always have the same seed.
UnitGrid tensor_cut(const Density& density, std::span<const double> speeds, const GridFrame& frame,
                    const UnitGrid& now, TensorSearch search);

// The rule of the ALL library (https://gitlab.jsc.fz-juelich.de/SLMS/loadbalancing): each border
// moves towards the heavier of its two neighbours.
//
// A border moves upwards by (1 / gamma) (W_above - W_below) / (W_above + W_below) times half the
// distance between its two neighbour borders, and by less than half of the domain that gets
// narrower. W is the work of planes for the borders between planes, of columns for those between
// columns, and so on; in a tensor grid it is the work of slabs for all borders. If gamma is 0,
// max(4.1, 1.1 (1 + widest / narrowest)) along each axis is used.
UnitGrid relaxed(const UnitGrid& grid, GridScheme scheme, std::span<const double> loads,
                 double gamma, const GridFrame& frame);

}  // namespace evenkeel
