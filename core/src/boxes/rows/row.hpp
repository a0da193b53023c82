#pragma once

// Rows of borders: shares of work, and the places where borders may stand.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Where the borders of a row of domains may stand: at multiples of `cell` from the lower face, when
// it is not 0, and at least `width` apart.
struct RowRules {
  double lower, upper;
  double width = 0, cell = 0;
};

// The greatest width that this many domains can have, with borders at multiples of `cell`.
double most_width(const RowRules& row, std::int64_t domains);

// Moves inner borders, which never fall, no farther than these rules need. The row must have room
// for its domains; see most_width().
void allow(const RowRules& row, std::span<double> inner);

// Adds the shares of all work below each inner border of a row whose domains are to have work in
// these proportions.
void add_shares(std::span<const double> proportions, std::vector<double>& shares);

}  // namespace evenkeel
