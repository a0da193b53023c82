#pragma once

// A grid as models of its work use it: in the unit cube, with axes in the order of the levels. Each
// domain of the outer levels has a row of its own, even in a tensor grid. Domains are numbered in
// the order of the levels; the innermost level counts fastest.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace evenkeel {

using LevelCounts = std::array<std::size_t, 3>;

// No cell of a model is narrower than this, and proposed borders are multiples of it. So no border
// is inside a cell that the model cannot divide, and the search ends even if all work is in one
// point.
inline constexpr double finest = 0x1p-30;
inline double resolved(double place) noexcept { return std::round(place / finest) * finest; }

struct UnitBox {
  std::array<double, 3> lower = {0, 0, 0}, upper = {1, 1, 1};
  double width(std::size_t level) const noexcept { return upper[level] - lower[level]; }
};

struct UnitGrid {
  LevelCounts domains = {1, 1, 1};  // number of domains in a row, by level
  // by level: its rows one after another, each from 0 to 1
  std::array<std::vector<double>, 3> borders;
  friend bool operator==(const UnitGrid&, const UnitGrid&) = default;

  std::size_t parts() const noexcept { return domains[0] * domains[1] * domains[2]; }
  const double* row(std::size_t level, std::size_t index) const noexcept {
    return borders[level].data() + index * (domains[level] + 1);
  }
  UnitBox box_of(std::size_t domain) const noexcept {
    const std::size_t column = domain / domains[2], plane = column / domains[1];
    const std::array<const double*, 3> at = {row(0, 0) + plane, row(1, plane) + column % domains[1],
                                             row(2, column) + domain % domains[2]};
    return {{*at[0], *at[1], *at[2]}, {at[0][1], at[1][1], at[2][1]}};
  }
};

// Returns the last domain in a row that begins at or below a place.
inline std::size_t domain_at(const double* row, std::size_t domains, double place) noexcept {
  const double* const above = std::upper_bound(row + 1, row + domains, place);
  return static_cast<std::size_t>(above - row) - 1;
}

// Calls visit(domain, share) for each domain of a row that overlaps [lower, upper). `share` is the
// part of that interval in the domain; all shares add up to 1.
template <class Visit>
void for_each_overlap(const double* row, std::size_t domains, double lower, double upper,
                      Visit&& visit) {
  std::size_t domain = domain_at(row, domains, lower);
  if (upper <= row[domain + 1] || domain + 1 == domains) return visit(domain, 1.0);
  const double scale = 1 / (upper - lower);
  for (; domain < domains && row[domain] < upper; ++domain) {
    const double width = std::min(row[domain + 1], upper) - std::max(row[domain], lower);
    if (width > 0) visit(domain, width * scale);
  }
}

// Calls visit(domain, share) for each domain of the grid that overlaps a box, in ascending order.
// `share` is the part of the box in the domain.
template <class Visit>
void for_each_share(const UnitGrid& grid, const UnitBox& box, Visit&& visit) {
  const LevelCounts& n = grid.domains;
  const auto along = [&](std::size_t level, std::size_t row, auto&& visit_level) {
    for_each_overlap(grid.row(level, row), n[level], box.lower[level], box.upper[level],
                     visit_level);
  };
  along(0, 0, [&](std::size_t plane, double in_plane) {
    along(1, plane, [&](std::size_t column, double in_column) {
      column += plane * n[1];
      in_column *= in_plane;
      along(2, column, [&](std::size_t cell, double share) {
        visit(column * n[2] + cell, in_column * share);
      });
    });
  });
}

}  // namespace evenkeel
