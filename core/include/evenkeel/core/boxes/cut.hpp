#pragma once

// Boxes of equal work for objects, over all ranks: a grid, or recursive bisection. All borders of a
// level are found at once, from histograms of the objects' coordinates alone.

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

namespace evenkeel {

// One set on one rank. Places outside the box count as the nearest inside; periodic axes wrap
// around.
struct WeightedPoints {
  FieldLayout position;                  // finite
  std::span<const double> weights = {};  // in the same memory; as for WeightedKeys
};

// The box that is divided, and what limits its parts.
struct BoxCutOptions {
  Box box;
  std::array<bool, 3> periodic = {};
  // Parts of up to target_lambda times their share of the work are accepted, which takes the fewest
  // reductions. 0: each border goes where the work before it is nearest to its share.
  double target_lambda = 0;
  std::span<const double> speeds = {};  // of each part; work is shared in proportion; empty: alike
  std::array<double, 3> least_width = {};  // of a domain, along each axis; always holds
};

// How to divide the box by a grid.
struct GridCutOptions : BoxCutOptions {
  GridShape shape;
  GridScheme scheme = GridScheme::staggered;
  std::vector<int> axes = {};            // outermost first; empty: usual_axes()
  std::array<double, 3> cell_size = {};  // borders stand at multiples from the lower face
};

// How to divide the box by recursive bisection.
struct BisectionOptions : BoxCutOptions {
  int parts = 1;
  int dimensions = 3;
  std::vector<int> axes = {};  // to divide along in turn; empty: always the longest side
  // An earlier tree. If it has as many parts, boxes are divided along the same axes, and borders
  // that are even enough for target_lambda stay where they are, so that little moves.
  const TreeDomains* earlier = nullptr;
};

// What a cut has found, beside the borders, and what it took; the same on all ranks.
struct BoxCut {
  std::vector<double> weights;  // of each part
  double heaviest_object = 0;
  int reductions = 0;              // over all ranks, in this cut
  std::int64_t bytes_reduced = 0;  // in these reductions, by each rank
};
struct GridCut : BoxCut {
  GridBorders borders;
};
struct BisectionCut : BoxCut {
  std::vector<Bisection> nodes;
};

// Collective. Objects at one place stay together. Weights are summed as integers, as in cut(); the
// result does not depend on how objects are spread over ranks and threads. Places are told apart to
// 2^-39 of the box or better. Where there is no weight, borders stand at equal distances. The call
// begins with a vote, to which the caller contributes `status`.
EVENKEEL_API GridCut cut_grid(const Communicator& communicator, const Status& status,
                              std::span<const WeightedPoints> points,
                              const GridCutOptions& options);
EVENKEEL_API BisectionCut bisect(const Communicator& communicator, const Status& status,
                                 std::span<const WeightedPoints> points,
                                 const BisectionOptions& options);

}  // namespace evenkeel
