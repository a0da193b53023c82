#pragma once

// How many domains a grid has along each axis, and which rank has which of them.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>

#include <array>
#include <span>
#include <vector>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

namespace evenkeel {

// Domains are numbered as MPI numbers the processes of a Cartesian communicator: part (i, j, k) is
// (i * extents[1] + j) * extents[2] + k. Axes beyond the dimensions have extent 1.
struct GridShape {
  int dimensions = 3;  // 1, 2 or 3
  std::array<int, 3> extents = {1, 1, 1};
  friend bool operator==(const GridShape&, const GridShape&) = default;

  int parts() const noexcept { return extents[0] * extents[1] * extents[2]; }
  // From the place (i, j, k) of a domain to its part, and back.
  int part_at(const std::array<int, 3>& at) const noexcept {
    return (at[0] * extents[1] + at[1]) * extents[2] + at[2];
  }
  std::array<int, 3> at(int part) const noexcept {
    return {part / extents[2] / extents[1], part / extents[2] % extents[1], part % extents[2]};
  }
};

// Throws an Error for dimensions other than 1, 2 or 3, extents below 1, extents beyond the
// dimensions and more parts than an int counts.
EVENKEEL_API void check(const GridShape& shape);

// The shape with this number of parts whose domains are nearest to cubes in a box of these sides,
// that is, have the least area of all faces. Among equals, the one with the most domains along the
// last axis is chosen, then along the one before. A side that is 0, or negligible beside the
// longest, is not divided unless all are 0. Sides beyond the dimensions have no meaning. Pure.
EVENKEEL_API GridShape factored(int parts, int dimensions,
                                const std::array<double, 3>& sides = {1, 1, 1});

// The shape with this number of parts and these extents, of which those that are 0 are chosen as
// `factored` does for a box. Beyond the dimensions extents are 0 or 1. Throws an Error if the given
// ones do not divide the parts.
EVENKEEL_API GridShape shape_with(const std::array<int, 3>& extents, int parts, int dimensions,
                                  const Box& box);

// A grid of ranks: one domain each.
struct RankGrid {
  GridShape shape;
  std::vector<int> rank_of_part;  // empty: part p is rank p
};

#if EVENKEEL_HAS_MPI
// From a communicator with a Cartesian topology of 1, 2 or 3 dimensions. Ranks are those of
// `cartesian`. Its periods are not read: a decomposition gets them with its box. Local.
EVENKEEL_API RankGrid grid_of(MPI_Comm cartesian);
#endif

// Collective. From the place of this rank in the application's own process grid. Throws the same
// Error on all ranks unless all name the same extents, and each place is named once.
EVENKEEL_API RankGrid grid_of(const Communicator& communicator, const GridShape& shape,
                              const std::array<int, 3>& mine);

}  // namespace evenkeel
