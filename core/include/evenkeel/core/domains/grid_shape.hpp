#pragma once

// How many domains a grid has along each axis.

#include <array>

namespace evenkeel {

// The number of domains along each axis. Domains are numbered as MPI numbers the processes of a
// Cartesian communicator: part (i, j, k) is (i * extents[1] + j) * extents[2] + k. Axes beyond the
// dimensions have extent 1.
struct GridShape {
  int dimensions = 3;  // 1, 2 or 3
  std::array<int, 3> extents = {1, 1, 1};
  friend bool operator==(const GridShape&, const GridShape&) = default;

  int parts() const noexcept { return extents[0] * extents[1] * extents[2]; }
  // Converts the place (i, j, k) of a domain to its part, and back.
  int part_at(const std::array<int, 3>& at) const noexcept {
    return (at[0] * extents[1] + at[1]) * extents[2] + at[2];
  }
  std::array<int, 3> at(int part) const noexcept {
    return {part / extents[2] / extents[1], part / extents[2] % extents[1], part % extents[2]};
  }
};

}  // namespace evenkeel
