#pragma once

// A box of cells of a mesh.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

// Cells from begin to before end along each axis. Along axes beyond the dimensions it has one.
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
