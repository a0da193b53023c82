#pragma once

// A table over a box of cells, which marks those that belong to a range of a curve as a whole. It
// shows whether a place is surely in the range.

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

// A table of the cells of a coarser lattice within a box of cells.
struct CellTable {
  int coarser = 0;  // the levels that the lattice of the domains has in addition
  std::array<std::uint32_t, 3> first = {0, 0, 0}, extent = {1, 1, 1};
  exec::Array<unsigned char> is_own;
};

// The finest table of a range of a curve that fills cubes one after the other, among those that are
// worth their cost for this many objects. Returns nothing if no cell belongs to the range as a
// whole. Blocks.
std::optional<CellTable> finest_table(const Space& space, const Lattice& lattice, CurveKey begin,
                                      CurveKey end, std::int64_t objects);

// A box whose places are all in own cells. It grows by layers of own cells around the middle of the
// largest cube that the range fills. Then it is made a little smaller, because faces are rounded.
// It has no extent if there is no such box.
Box inner_box(const CellTable& table, const Lattice& lattice, const Box& whole,
              const std::vector<Box>& cubes);

}  // namespace evenkeel
