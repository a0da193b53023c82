#include "boxes/rows/row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

double after(double place, double width) {
  double next = place + width;
  while (next - place < width) next = std::nextafter(next, std::numeric_limits<double>::max());
  return next;
}

double before(double place, double width) {
  double next = place - width;
  while (place - next < width) next = std::nextafter(next, std::numeric_limits<double>::lowest());
  return next;
}

// Computes in units of cells, so that borders stay at multiples of a cell.
void allow_cells(const RowRules& row, std::span<double> inner) {
  const double cells = whole_cells(row), least = least_cells(row);
  const auto count = static_cast<double>(inner.size());
  double below = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const double most = cells - least * (count - static_cast<double>(i));
    const double nearest = std::round((inner[i] - row.lower) / row.cell);
    below = std::min(std::max(nearest, below + least), most);
    inner[i] = std::min(row.lower + below * row.cell, row.upper);
    below = std::max(below, 0.0);
  }
}

void allow_anywhere(const RowRules& row, std::span<double> inner) {
  double below = row.lower;
  for (double& border : inner) below = border = std::max(border, after(below, row.width));
  double above = row.upper;
  for (std::size_t i = inner.size(); i-- > 0;)
    above = inner[i] = std::min(inner[i], before(above, row.width));
}

constexpr double rounding = 0x1p-40;  // relative error of a length that is a multiple of a cell

}  // namespace

bool has_cells(const RowRules& row) {
  constexpr double most = 0x1p53;
  return row.cell > 0 && row.upper / row.cell - row.lower / row.cell < most;
}

double whole_cells(const RowRules& row) {
  const double cells = (row.upper - row.lower) / row.cell;
  const bool is_finite = std::isfinite(cells);  // else the length exceeds the range of numbers
  return std::floor((is_finite ? cells : row.upper / row.cell - row.lower / row.cell) *
                    (1 + rounding));
}

double least_cells(const RowRules& row) { return std::ceil(row.width / row.cell * (1 - rounding)); }

double most_width(const RowRules& row, std::int64_t domains) {
  const auto count = static_cast<double>(domains);
  if (!(row.cell > 0)) return (row.upper - row.lower) / count;
  return std::floor(whole_cells(row) / count) * row.cell;
}

void allow(const RowRules& row, std::span<double> inner) {
  if (inner.empty()) return;
  if (has_cells(row)) return allow_cells(row, inner);
  if (!(row.width > 0)) return;
  allow_anywhere(row, inner);
  // If there is hardly room, rounding may have put the first border out of range. Equal widths fit
  // in this case.
  if (inner.front() - row.lower < row.width)
    for (std::size_t i = 0; i < inner.size(); ++i)
      inner[i] = row.lower + (row.upper - row.lower) * static_cast<double>(i + 1) /
                                 static_cast<double>(inner.size() + 1);
}

void add_shares(std::span<const double> proportions, std::vector<double>& shares) {
  const double all = std::accumulate(proportions.begin(), proportions.end(), 0.0);
  double below = 0;
  for (std::size_t i = 0; i + 1 < proportions.size(); ++i) {
    below += proportions[i];
    shares.push_back(below / all);
  }
}

}  // namespace evenkeel
