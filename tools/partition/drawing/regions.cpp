#include "partition/drawing/regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
void fill(Regions& regions, int most_steps) {
  std::vector<std::size_t> queue;
  for (std::size_t cell = 0; cell < regions.parts.size(); ++cell)
    if (regions.parts[cell] != Raster::none) queue.push_back(cell);
  std::size_t next = 0;
  for (int step = 0; step < most_steps; ++step)
    for (const std::size_t end = queue.size(); next < end; ++next)
      for_each_beside(regions, queue[next], [&, from = queue[next]](std::size_t cell) {
        if (regions.parts[cell] != Raster::none) return;
        regions.parts[cell] = regions.parts[from];
        queue.push_back(cell);
      });
}

// Half as far again as between objects that are spread out evenly.
int usual_steps(const Raster& raster) {
  const auto objects = static_cast<double>(std::max<std::int64_t>(1, raster.shown));
  return static_cast<int>(
      std::ceil(1.5 * std::sqrt(static_cast<double>(raster.cells()) / objects)));
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
  if (filled) fill(regions, usual_steps(raster));
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

// Of several such cells, the one that is nearest to the middle of them all.
std::vector<LabelPlace> label_places(const Regions& regions) {
  struct Best {
    int room = 0;
    std::int64_t cells = 0, columns = 0, rows = 0;  // with that room; sums
  };
  const std::vector<int> room = room_of(regions);
  std::map<std::int32_t, Best> best;
  const auto for_each_cell = [&](const auto& each) {
    for (int row = 0; row < regions.rows; ++row)
      for (int column = 0; column < regions.columns; ++column)
        if (const std::int32_t part = regions.at(column, row); part != Raster::none)
          each(best[part], part, column, row, room[index_of(regions, column, row)]);
  };
  for_each_cell([](Best& of_part, std::int32_t, int column, int row, int here) {
    if (here > of_part.room) of_part = {here, 0, 0, 0};
    if (here < of_part.room) return;
    ++of_part.cells;
    of_part.columns += column;
    of_part.rows += row;
  });
  std::map<std::int32_t, std::pair<double, LabelPlace>> nearest;
  for_each_cell([&](const Best& of_part, std::int32_t part, int column, int row, int here) {
    if (here < of_part.room) return;
    const auto cells = static_cast<double>(of_part.cells);
    const double across = column - static_cast<double>(of_part.columns) / cells;
    const double down = row - static_cast<double>(of_part.rows) / cells;
    const double distance = across * across + down * down;
    const auto [entry, is_new] = nearest.try_emplace(part);
    if (is_new || distance < entry->second.first)
      entry->second = {distance, {part, column, row, here}};
  });
  std::vector<LabelPlace> places;
  places.reserve(nearest.size());
  for (const auto& [part, found] : nearest) places.push_back(found.second);
  return places;
}

}  // namespace evenkeel::tool
