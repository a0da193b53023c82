#include "boxes/from_work/grid_frame.hpp"

#include <utility>

namespace evenkeel {

GridFrame::GridFrame(const GridDomains& start, const GridRules& rules)
    : rules_(rules),
      scheme_(start.borders().scheme),
      dimensions_(start.dimensions()),
      axes_(start.borders().axes) {
  const GridShape& shape = start.shape();
  for (std::size_t level = 0; level < 3; ++level)
    domains_[level] =
        static_cast<std::size_t>(shape.extents[static_cast<std::size_t>(axes_[level])]);
  for (std::size_t d = 0; d < static_cast<std::size_t>(start.parts()); ++d) {
    const LevelCounts along = {d / domains_[2] / domains_[1], d / domains_[2] % domains_[1],
                               d % domains_[2]};
    std::array<int, 3> at = {};
    for (std::size_t level = 0; level < 3; ++level)
      at[static_cast<std::size_t>(axes_[level])] = static_cast<int>(along[level]);
    part_of_domain_.push_back(shape.part_at(at));
  }
}

std::size_t GridFrame::rows_of(std::size_t level) const noexcept {
  std::size_t rows = 1;
  for (std::size_t outer = 0; outer < level; ++outer) rows *= domains_[outer];
  return rows;
}

bool GridFrame::is_restricted() const {
  for (std::size_t level = 0; level < static_cast<std::size_t>(dimensions_); ++level)
    if (rules_at(level).width > 0 || rules_at(level).cell > 0) return true;
  return false;
}

UnitGrid GridFrame::to_unit(const GridBorders& borders) const {
  UnitGrid grid{domains_, {}};
  for (std::size_t level = 0; level < 3; ++level) {
    const RowRules rules = rules_at(level);
    const bool is_used = level < static_cast<std::size_t>(dimensions_);
    const double length = rules.upper - rules.lower;
    const std::size_t row = domains_[level] + 1;
    std::vector<double>& places = grid.borders[level];
    places.reserve(rows_of(level) * row);
    for (std::size_t i = 0; i < rows_of(level) * row; ++i) {
      const std::size_t at = i % row;
      const bool is_inner = at > 0 && at + 1 < row && is_used && length > 0;
      const auto place = [&] { return borders.levels[level][i % borders.levels[level].size()]; };
      places.push_back(is_inner ? (place() - rules.lower) / length : at == 0 ? 0.0 : 1.0);
    }
  }
  return grid;
}

GridBorders GridFrame::to_borders(const UnitGrid& grid) const {
  GridBorders borders{scheme_, axes_, {}};
  for (std::size_t level = 0; level < static_cast<std::size_t>(dimensions_); ++level) {
    const RowRules rules = rules_at(level);
    const std::size_t row = domains_[level] + 1;
    const std::size_t rows = scheme_ == GridScheme::tensor ? 1 : rows_of(level);
    std::vector<double>& places = borders.levels[level];
    places.reserve(rows * row);
    for (std::size_t i = 0; i < rows * row; ++i) {
      const double place = std::lerp(rules.lower, rules.upper, grid.borders[level][i]);
      places.push_back(std::clamp(place, rules.lower, rules.upper));
    }
  }
  return allowed(std::move(borders));
}

GridBorders GridFrame::allowed(GridBorders borders) const {
  for (std::size_t level = 0; level < static_cast<std::size_t>(dimensions_); ++level) {
    const std::size_t row = domains_[level] + 1;
    const std::span<double> all = borders.levels[level];
    for (std::size_t first = 0; first < all.size(); first += row)
      allow_in_place(level, all.subspan(first + 1, row - 2));
  }
  return borders;
}

void GridFrame::allow(std::size_t level, std::span<double> inner) const {
  const RowRules rules = rules_at(level);
  const double length = rules.upper - rules.lower;
  if (!(rules.width > 0 || rules.cell > 0) || !(length > 0)) return;
  for (double& border : inner) border = rules.lower + border * length;
  allow_in_place(level, inner);
  for (double& border : inner) border = (border - rules.lower) / length;
}

void GridFrame::allow_in_place(std::size_t level, std::span<double> inner) const {
  const RowRules rules = rules_at(level);
  evenkeel::allow(rules, inner);
  // By rounding, a multiple of a cell may be beyond the face.
  for (double& border : inner) border = std::min(border, rules.upper);
}

std::vector<double> GridFrame::by_domain(std::span<const double> by_part) const {
  std::vector<double> numbers;
  numbers.reserve(by_part.size());
  for (const int part : part_of_domain_) numbers.push_back(by_part[static_cast<std::size_t>(part)]);
  return numbers;
}

}  // namespace evenkeel
