#pragma once

// Which part a panel shows where: a part, or none, for each cell; where parts meet, and where the
// name of a part has room. All of it is local.

#include "partition/drawing/raster.hpp"
#include "partition/drawing/view.hpp"

#include <evenkeel/core/domains.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel::tool {

struct Regions {
  int columns = 0, rows = 0;
  std::vector<std::int32_t> parts;  // row by row, from the top; Raster::none: of no part

  std::int32_t at(int column, int row) const noexcept {
    return parts[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)];
  }
};

// The owner of the place in the middle of each cell of a plane.
Regions regions_of(const Domains& domains, const Frame& frame, const View& view,
                   const Raster& raster, double cells_per_unit);

// What the raster shows. `filled`: a cell without objects has the part of the nearest cell that has
// some, as steps from cell to cell count, unless that is farther than objects usually are.
Regions regions_of(const Raster& raster, bool filled);

// Two parts, the first of which is the lower one, and how many edges of cells lie between them.
struct Contact {
  std::int32_t first = 0, second = 0;
  std::int64_t length = 0;
};

// In ascending order, each pair once.
std::vector<Contact> contacts_of(const std::vector<Regions>& panels);

// The cell of a part that is farthest from all other parts and from the rim.
struct LabelPlace {
  std::int32_t part = 0;
  int column = 0, row = 0;
  int room = 0;  // cells from there to the next part, along a row or a column
};

// For each part that the panel shows, in ascending order.
std::vector<LabelPlace> label_places(const Regions& regions);

}  // namespace evenkeel::tool
