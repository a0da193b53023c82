#pragma once

// Divides a box into domains such that the objects in each domain have the same weight, by a grid
// or by recursive bisection. All borders of a level are found together, from histograms of the
// objects' coordinates.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>
#include <evenkeel/core/field.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::stages {

// One set on one rank. A position outside the box counts as the nearest place inside; periodic axes
// wrap around.
struct WeightedPoints {
  FieldLayout position;                  // coordinates must be finite
  std::span<const double> weights = {};  // in the same memory; otherwise as in WeightedKeys
};

// Options of both cuts: the box to divide, and the rules for its parts.
struct BoxCutOptions {
  Box box;
  std::array<bool, 3> periodic = {};
  // 0, or at least 1. If it is above 1, a part may weigh up to this many times its share, which
  // saves reductions. Otherwise each border is placed where the weight before it is nearest to its
  // share. A tensor grid ignores it.
  double target_lambda = 0;
  // The speed of each part; the share of a part is proportional to it. If empty, all parts are
  // equally fast.
  std::span<const double> speeds = {};
  std::array<double, 3> least_width = {};  // of a domain, along each axis; takes precedence over
                                           // even weights
  std::array<double, 3> cell_size = {};    // if not 0, borders are multiples of it away from the
                                           // lower face
};

// How to divide the box by a grid.
struct GridCutOptions : BoxCutOptions {
  GridShape shape;
  GridScheme scheme = GridScheme::staggered;
  std::vector<int> axes = {};  // outermost first; if empty, usual_axes()
};

// How to divide the box by recursive bisection. With cell sizes, each domain has at least one cell.
// Each border is then chosen among the cells next to the share of the weight, together with the
// number of parts on each side, and the axis. The axis is the longest one, and the numbers are
// halves, unless others make the parts on one side clearly lighter.
struct BisectionOptions : BoxCutOptions {
  int parts = 1;
  int dimensions = 3;
  std::array<bool, 3> divided_axes = {true, true, true};  // no box is divided along other axes
  // Successive levels of the tree divide along these axes in turn. If empty, each box is divided
  // along its longest side. If an axis has no room for two domains of the least width, another axis
  // is used.
  std::vector<int> axes = {};
  // An earlier tree, or null. If it has the same number of parts and dimensions, boxes are divided
  // along the same axes, and a border stays if the parts on both sides are even enough for
  // target_lambda. Then only a few objects move. With cell sizes, borders and axes also change if
  // this makes parts clearly more even.
  const TreeDomains* earlier = nullptr;
};

// The weights of the parts, and the communication of the cut; the same on all ranks.
struct BoxCut {
  std::vector<double> weights;     // of each part
  double heaviest_object = 0;      // its weight
  int reductions = 0;              // over all ranks, in this cut, without votes
  std::int64_t bytes_reduced = 0;  // by each rank, in these reductions and in gathered objects
};
struct GridCut : BoxCut {
  GridBorders borders;
};
struct BisectionCut : BoxCut {
  std::vector<Bisection> nodes;
};

// Both are collective. Objects at one place stay together. Weights are summed as integers, as in
// cut(), so the result does not depend on how objects are spread over ranks and threads. If the
// distance of two objects is less than 2^-37 of the box, they may count as objects at one place. A
// box without weight is divided in proportion to the speeds, but a tensor grid divides it into
// equal widths.
EVENKEEL_API GridCut cut_grid(const Voters& voters, std::span<const WeightedPoints> points,
                              const GridCutOptions& options);
EVENKEEL_API BisectionCut bisect(const Voters& voters, std::span<const WeightedPoints> points,
                                 const BisectionOptions& options);

}  // namespace evenkeel::stages
