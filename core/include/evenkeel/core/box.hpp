#pragma once

// A box in space, and a box of the cells of a mesh.

#include <evenkeel/backends/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

// A box in space that includes its faces. In two dimensions the third axis has no meaning.
struct Box {
  std::array<double, 3> lower = {0, 0, 0};
  std::array<double, 3> upper = {0, 0, 0};
  friend bool operator==(const Box&, const Box&) = default;
};

// Throws an Error unless all faces are finite, lower <= upper, and lower < upper along periodic
// axes.
EVENKEEL_API void check(const Box& box, const std::array<bool, 3>& periodic);

// A box of cells of a mesh: begin <= cell < end along each axis. A mesh of two dimensions has one
// cell along the third axis.
struct CellRange {
  std::array<std::int64_t, 3> begin = {0, 0, 0}, end = {0, 0, 0};
  friend bool operator==(const CellRange&, const CellRange&) = default;
  std::int64_t count() const noexcept {
    std::int64_t cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      cells *= std::max<std::int64_t>(0, end[axis] - begin[axis]);
    return cells;
  }
};

}  // namespace evenkeel
