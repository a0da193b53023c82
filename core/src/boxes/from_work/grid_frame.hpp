#pragma once

// Converts between the grid that users see and the grid that a model of its work uses.

#include "boxes/from_work/unit_grid.hpp"
#include "boxes/rows/grid_rules.hpp"

#include <evenkeel/core/domains/grid.hpp>

namespace evenkeel {

// Maps the box to the unit cube. The cube has the length 1 even along axes beyond the dimensions
// and along axes on which the box has no extent; there the first domain has the whole length.
class GridFrame {
 public:
  GridFrame(const GridDomains& start, const GridRules& rules);

  const LevelCounts& domains() const noexcept { return domains_; }
  GridScheme scheme() const noexcept { return scheme_; }
  // Returns true if the rules restrict the places of borders.
  bool is_restricted() const;

  UnitGrid to_unit(const GridBorders& borders) const;
  // Returns the borders of all rows, moved to where the rules allow them. In a tensor grid, each
  // level has only its first row.
  GridBorders to_borders(const UnitGrid& grid) const;
  // The borders of a grid, moved to where the rules allow them.
  GridBorders allowed(GridBorders borders) const;
  // Moves the inner borders of one row of a level to where the rules allow them.
  void allow(std::size_t level, std::span<double> inner) const;

  // Rearranges numbers from the order of parts to the order of domains.
  std::vector<double> by_domain(std::span<const double> by_part) const;

 private:
  RowRules rules_at(std::size_t level) const { return rules_.along(axes_[level]); }
  std::size_t rows_of(std::size_t level) const noexcept;
  void allow_in_place(std::size_t level, std::span<double> inner) const;

  GridRules rules_;
  GridScheme scheme_;
  int dimensions_;
  std::array<int, 3> axes_;
  LevelCounts domains_ = {1, 1, 1};
  std::vector<int> part_of_domain_;
};

}  // namespace evenkeel
