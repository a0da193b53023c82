#pragma once

// Divides a box into domains of equal work for the objects of all ranks: by a grid, or by recursive
// bisection. All borders of a level are found at once, from histograms of the objects' coordinates.

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
  FieldLayout position;                  // finite
  std::span<const double> weights = {};  // in the same memory; as for WeightedKeys
};

// The box to divide, and the rules for its parts.
struct BoxCutOptions {
  Box box;
  std::array<bool, 3> periodic = {};
  // If it is above 1, parts of up to this many times their share of the work are accepted, which
  // saves reductions. Otherwise each border is placed where the work before it is nearest to its
  // share. A tensor grid ignores it.
  double target_lambda = 0;
  // The speed of each part, which gets work in proportion. If empty, all parts are equally fast.
  std::span<const double> speeds = {};
  std::array<double, 3> least_width = {};  // of a domain, along each axis; always holds
};

// How to divide the box by a grid.
struct GridCutOptions : BoxCutOptions {
  GridShape shape;
  GridScheme scheme = GridScheme::staggered;
  std::vector<int> axes = {};            // outermost first; if empty, usual_axes()
  std::array<double, 3> cell_size = {};  // borders are at multiples of it from the lower face
};

// How to divide the box by recursive bisection.
struct BisectionOptions : BoxCutOptions {
  int parts = 1;
  int dimensions = 3;
  // The axes to divide along in turn; if empty, each box is divided along its longest side. If an
  // axis has no room for two domains of the least width, another one is used.
  std::vector<int> axes = {};
  // An earlier tree. If it has as many parts and dimensions, boxes are divided along the same axes,
  // and borders that are even enough for target_lambda stay where they are, so that few objects
  // move.
  const TreeDomains* earlier = nullptr;
};

// The weights that a cut has found, and its communication; the same on all ranks.
struct BoxCut {
  std::vector<double> weights;     // of each part
  double heaviest_object = 0;      // its weight
  int reductions = 0;              // over all ranks, in this cut; votes do not count
  std::int64_t bytes_reduced = 0;  // by each rank, in these reductions and in gathered objects
};
struct GridCut : BoxCut {
  GridBorders borders;
};
struct BisectionCut : BoxCut {
  std::vector<Bisection> nodes;
};

// Collective. Objects at one place stay together. Weights are summed as integers, as in cut(); the
// result does not depend on how objects are spread over ranks and threads. Positions are resolved
// to 2^-37 of the box or better. A box without weight is divided in proportion to the speeds, but
// by a tensor grid into equal widths.
EVENKEEL_API GridCut cut_grid(const Voters& voters, std::span<const WeightedPoints> points,
                              const GridCutOptions& options);
EVENKEEL_API BisectionCut bisect(const Voters& voters, std::span<const WeightedPoints> points,
                                 const BisectionOptions& options);

}  // namespace evenkeel::stages
