#include "boxes/from_objects/capacity.hpp"
#include "boxes/rows/grid_rules.hpp"

#include <evenkeel/core/boxes/cut.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

constexpr double any_number = 1e9;        // more domains than any cut has
constexpr double rounding = 1 + 0x1p-40;  // relative error of a side that is made to fit exactly
constexpr double least_cell = 0x1p-960;   // a Ruler does not resolve smaller ones

}  // namespace

bool Capacity::matters() const noexcept {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    if (width[axis] > 0 || !is_cut[axis]) return true;
  return false;
}

double Capacity::along(const Box& box, int axis) const noexcept {
  const auto a = static_cast<std::size_t>(axis);
  const double most = is_cut[a] ? any_number : 1;
  if (!(width[a] > 0)) return most;
  return std::min(most, std::floor((box.upper[a] - box.lower[a]) / width[a] * rounding));
}

double Capacity::of(const Box& box) const noexcept {
  double domains = 1;
  for (int axis = 0; axis < dimensions; ++axis) domains *= along(box, axis);
  return domains;
}

BoxRoom::BoxRoom(const BisectionOptions& options)
    : box_(options.box),
      room_(options.box),
      capacity_{options.least_width, options.dimensions, options.divided_axes} {
  const GridRules rules = {options.box, options.least_width, options.cell_size};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(options.dimensions); ++axis) {
    const RowRules row = rules.along(static_cast<int>(axis));
    if (!evenkeel::has_cells(row) || row.cell < least_cell) continue;
    cell_[axis] = row.cell;
    const double cells = whole_cells(row);
    const bool is_narrow = row.width > (row.upper - row.lower) * rounding;
    room_.lower[axis] = 0;
    room_.upper[axis] = std::max(1.0, cells);
    // A box that is shorter than a cell has room for one domain, unless it is too narrow for it.
    capacity_.width[axis] = cells < 1 ? (is_narrow ? 2 : 1) : std::max(1.0, least_cells(row));
  }
}

double BoxRoom::place(int axis, double at) const noexcept {
  const auto a = static_cast<std::size_t>(axis);
  if (!has_cells(axis)) return at;
  if (at >= room_.upper[a]) return box_.upper[a];
  const double along = at * cell_[a];
  const double place =
      std::isfinite(along) ? box_.lower[a] + along : 2 * (box_.lower[a] / 2 + at * (cell_[a] / 2));
  return std::min(place, box_.upper[a]);
}

double BoxRoom::at(int axis, double place) const noexcept {
  const auto a = static_cast<std::size_t>(axis);
  return has_cells(axis) ? place / cell_[a] - box_.lower[a] / cell_[a] : place;
}

std::optional<Halves> halves_of(const Capacity& capacity, const Box& box, int axis, int parts,
                                int wanted, bool exact) {
  const auto a = static_cast<std::size_t>(axis);
  const double slices = capacity.along(box, axis);
  if (slices < 2) return std::nullopt;
  const double in_slice = capacity.of(box) / slices;
  const auto slices_for = [&](int some) { return std::ceil(some / in_slice); };
  int below = wanted;
  if (slices_for(below) + slices_for(parts - below) > slices) {
    if (exact) return std::nullopt;
    const double slices_below = std::floor(slices / 2), slices_above = slices - slices_below;
    const double most = std::min<double>(slices_below * in_slice, parts - 1);
    const double least = std::max<double>(parts - slices_above * in_slice, 1);
    if (least > most) return std::nullopt;
    below = static_cast<int>(std::clamp<double>(wanted, least, most));
  }
  return Halves{below, box.lower[a] + slices_for(below) * capacity.width[a],
                box.upper[a] - slices_for(parts - below) * capacity.width[a]};
}

double most_scale(const Capacity& capacity, const Box& box, int parts) {
  const auto fits = [&](double scale) {
    Capacity scaled = capacity;
    for (double& width : scaled.width) width *= scale;
    return scaled.of(box) >= parts;
  };
  double fitting = 0, too_much = 1;
  while (fits(too_much)) too_much *= 2;
  while (too_much - fitting > too_much * 0x1p-50) {
    const double middle = (fitting + too_much) / 2;
    // the box is a single point, in which nothing fits
    if (!(middle > fitting && middle < too_much)) break;
    (fits(middle) ? fitting : too_much) = middle;
  }
  return fitting / rounding;
}

}  // namespace evenkeel
