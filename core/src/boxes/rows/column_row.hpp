#pragma once

// Finds one row of borders that divides many columns at once, as in a tensor grid. A piece is the
// part of a column between two borders. The row makes the greatest piece / speed of its domain as
// small as possible.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// Work along several columns, which all have the same bins.
struct Columns {
  std::int64_t bins = 0;
  std::vector<double> below;  // by column: bins + 1 running sums, the first of which is 0
  std::int64_t count() const noexcept { return bins > 0 ? std::ssize(below) / (bins + 1) : 0; }
  std::span<const double> column(std::int64_t index) const noexcept {
    const auto length = static_cast<std::size_t>(bins) + 1;
    return std::span(below).subspan(static_cast<std::size_t>(index) * length, length);
  }
};

struct ColumnRow {
  // inner borders: the bin at which each domain but the last ends
  std::vector<std::int64_t> borders;
  double heaviest = 0;  // greatest piece / speed
};

// speed_of(column, domain) is the speed of a domain. The result is within 1 / 2^40 of the optimum.
ColumnRow best_row(const Columns& columns, std::int64_t domains,
                   const std::function<double(std::int64_t, std::int64_t)>& speed_of);

// Returns the greatest piece / speed with given borders.
double heaviest_piece(const Columns& columns, std::span<const std::int64_t> borders,
                      const std::function<double(std::int64_t, std::int64_t)>& speed_of);

}  // namespace evenkeel
