#pragma once

// Rows of borders: the rules for places of borders, and the shares of work below them.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The rules for the borders of a row of domains from `lower` to `upper`. Borders are at least
// `width` apart. If `cell` is not 0, they are at multiples of it, counted from `lower`.
struct RowRules {
  double lower, upper;
  double width = 0, cell = 0;
};

// Returns true if borders must be at multiples of a cell. If a cell is smaller than the resolution
// of doubles, every place counts as a multiple.
bool has_cells(const RowRules& row);
// The number of whole cells in the row, and the least number that is as wide as a domain must be.
// Both tolerate rounding errors.
double whole_cells(const RowRules& row);
double least_cells(const RowRules& row);

// Returns the greatest width with which this many domains fit, with borders at multiples of `cell`.
double most_width(const RowRules& row, std::int64_t domains);

// Moves inner borders as little as the rules require. The borders must be in ascending order, and
// the row must have room for its domains; see most_width().
void allow(const RowRules& row, std::span<double> inner);

// Appends, for each inner border of a row, the share of all work below it, if domains get work in
// the given proportions.
void add_shares(std::span<const double> proportions, std::vector<double>& shares);

}  // namespace evenkeel
