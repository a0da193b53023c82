#pragma once

// Rows of borders: the rules for their places, and shares of work.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The rules for the borders of a row of domains. If `cell` is not 0, borders are at multiples of it
// from the lower face. They are at least `width` apart.
struct RowRules {
  double lower, upper;
  double width = 0, cell = 0;
};

// The greatest width that this many domains can have, with borders at multiples of `cell`.
double most_width(const RowRules& row, std::int64_t domains);

// Moves inner borders no farther than these rules need. The borders must be in ascending order, and
// the row must have room for its domains; see most_width().
void allow(const RowRules& row, std::span<double> inner);

// Adds the shares of all work below each inner border of a row whose domains are to have work in
// these proportions.
void add_shares(std::span<const double> proportions, std::vector<double>& shares);

}  // namespace evenkeel
