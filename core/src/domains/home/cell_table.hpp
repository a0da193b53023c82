#pragma once

// A table of the cells in a box. It marks the own cells: those that are completely in a range of a
// curve. A place in a marked cell is surely in the range.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/curve/key.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace evenkeel {

// Marks the own cells among the cells of a coarser lattice in a box of cells.
struct CellTable {
  int coarser = 0;  // levels of the domains' lattice minus levels of this lattice
  std::array<std::uint32_t, 3> first = {0, 0, 0}, extent = {1, 1, 1};
  exec::Array<unsigned char> is_own;
};

// Returns the finest table of a range of a curve that saves more time than it takes to make, for
// this many objects. The curve must fill cubes one after the other. Returns nothing if no cell is
// completely in the range, or if no table saves time. Blocks.
std::optional<CellTable> finest_table(const Space& space, const Lattice& lattice, CurveKey begin,
                                      CurveKey end, std::int64_t objects);

// Returns a box whose places are all in own cells. It begins with the cell in the middle of the
// largest cube that the range fills, and grows by layers of own cells. Then it is made a little
// smaller, because the faces of cells are rounded. If there is no such box, the result has no
// extent.
Box inner_box(const CellTable& table, const Lattice& lattice, const Box& whole,
              const std::vector<Box>& cubes);

}  // namespace evenkeel
