#pragma once

// Many objects in a few cells: what each cell of a panel shows of them. Its size does not depend on
// the number of objects, and its content neither on the order of objects nor on their ranks.

#include "partition/drawing/subject.hpp"
#include "partition/drawing/view.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel::tool {

// Cells row by row, from the top.
struct Raster {
  static constexpr int none = -1;
  static constexpr int shades = 3;

  int columns = 0, rows = 0;
  std::vector<std::int32_t> parts;  // none: no object is in the cell
  std::vector<std::uint8_t> shade;  // of each cell, from 0 for the palest on
  std::int64_t shown = 0;           // objects in all cells

  std::size_t cells() const noexcept { return parts.size(); }
  std::size_t at(int column, int row) const noexcept {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

// Collective. In a plane, a cell has the part of the object that is nearest to its middle, and the
// more objects are in it, the stronger its shade is. From a corner, a cell has the part of the
// object that is nearest to the eye, and its shade tells which face of the box that object is
// nearest to.
Raster raster_of(const Communicator& communicator, const Subject& subject, const Frame& frame,
                 const View& view, double cells_per_unit);

// Collective. Gives a view a plane near the median of the objects along the axis away, and the slab
// around it that has about `share` of them. The plane is a little before the median, since methods
// that divide evenly cut there.
void set_slab(const Communicator& communicator, const Subject& subject, const Frame& frame,
              double share, View& view);

}  // namespace evenkeel::tool
