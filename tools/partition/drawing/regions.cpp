#include "partition/drawing/regions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

namespace evenkeel::tool {

namespace {

std::size_t index_of(const Regions& regions, int column, int row) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(regions.columns) +
         static_cast<std::size_t>(column);
}

// Calls each(index) for the cells beside a cell.
template <class Each>
void for_each_beside(const Regions& regions, std::size_t cell, const Each& each) {
  const auto columns = static_cast<std::size_t>(regions.columns);
  const std::size_t column = cell % columns;
  if (column > 0) each(cell - 1);
  if (column + 1 < columns) each(cell + 1);
  if (cell >= columns) each(cell - columns);
  if (cell + columns < regions.parts.size()) each(cell + columns);
}

// Breadth first from all cells with objects at once, in the order of cells: the same on all
// machines.
void fill(Regions& regions) {
  std::vector<std::size_t> queue;
  for (std::size_t cell = 0; cell < regions.parts.size(); ++cell)
    if (regions.parts[cell] != Raster::none) queue.push_back(cell);
  for (std::size_t next = 0; next < queue.size(); ++next)
    for_each_beside(regions, queue[next], [&, from = queue[next]](std::size_t cell) {
      if (regions.parts[cell] != Raster::none) return;
      regions.parts[cell] = regions.parts[from];
      queue.push_back(cell);
    });
}

// For each cell, the number of cells to the nearest one of another part, along rows, columns and
// diagonals; the rim of the panel counts as one.
std::vector<int> room_of(const Regions& regions) {
  std::vector<int> room(regions.parts.size(), 0);
  const auto next_to = [&](int column, int row, std::int32_t part) {
    const bool is_inside =
        column >= 0 && row >= 0 && column < regions.columns && row < regions.rows;
    if (!is_inside || regions.at(column, row) != part) return 0;
    return room[index_of(regions, column, row)];
  };
  const auto sweep = [&](int column, int row, int back) {
    const std::int32_t part = regions.at(column, row);
    const int least =
        std::min({next_to(column - back, row, part), next_to(column - back, row - back, part),
                  next_to(column, row - back, part), next_to(column + back, row - back, part)});
    return least + 1;
  };
  for (int row = 0; row < regions.rows; ++row)
    for (int column = 0; column < regions.columns; ++column)
      room[index_of(regions, column, row)] = sweep(column, row, 1);
  for (int row = regions.rows - 1; row >= 0; --row)
    for (int column = regions.columns - 1; column >= 0; --column) {
      int& here = room[index_of(regions, column, row)];
      here = std::min(here, sweep(column, row, -1));
    }
  return room;
}

}  // namespace

Regions regions_of(const Domains& domains, const Frame& frame, const View& view,
                   const Raster& raster, double cells_per_unit) {
  Regions regions{raster.columns, raster.rows, {}};
  regions.parts.reserve(raster.cells());
  const auto n = static_cast<std::size_t>(frame.dimensions());
  for (int row = 0; row < raster.rows; ++row)
    for (int column = 0; column < raster.columns; ++column) {
      const std::array<double, 3> place =
          frame.place(view.unit_at((column + 0.5) / cells_per_unit, (row + 0.5) / cells_per_unit));
      regions.parts.push_back(owner_of(domains, std::span(place).first(n)));  // part p is rank p
    }
  return regions;
}

Regions regions_of(const Raster& raster, bool filled) {
  Regions regions{raster.columns, raster.rows, raster.parts};
  if (filled) fill(regions);
  return regions;
}

std::vector<Contact> contacts_of(const std::vector<Regions>& panels) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> lengths;
  const auto count = [&](std::int32_t one, std::int32_t other) {
    if (one != other && one != Raster::none && other != Raster::none)
      ++lengths[std::minmax(one, other)];
  };
  for (const Regions& panel : panels)
    for (int row = 0; row < panel.rows; ++row)
      for (int column = 0; column < panel.columns; ++column) {
        if (column > 0) count(panel.at(column - 1, row), panel.at(column, row));
        if (row > 0) count(panel.at(column, row - 1), panel.at(column, row));
      }
  std::vector<Contact> contacts;
  contacts.reserve(lengths.size());
  for (const auto& [parts, length] : lengths)
    contacts.push_back({parts.first, parts.second, length});
  return contacts;
}

std::vector<LabelPlace> label_places(const Regions& regions) {
  const std::vector<int> room = room_of(regions);
  std::map<std::int32_t, LabelPlace> best;
  for (int row = 0; row < regions.rows; ++row)
    for (int column = 0; column < regions.columns; ++column) {
      const std::int32_t part = regions.at(column, row);
      if (part == Raster::none) continue;
      LabelPlace& place = best[part];
      const int here = room[index_of(regions, column, row)];
      if (here > place.room) place = {part, column, row, here};
    }
  std::vector<LabelPlace> places;
  places.reserve(best.size());
  for (const auto& [part, place] : best) places.push_back(place);
  return places;
}

}  // namespace evenkeel::tool
