#pragma once

// One row of borders through many columns at once, as in a tensor grid. The borders make the
// heaviest piece of all columns as light as possible, relative to the speed of each domain.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// Work along several columns, in bins that are the same for all.
struct Columns {
  std::int64_t bins = 0;
  std::vector<double> below;  // bins + 1 sums of each column, the first of which is 0
  std::int64_t count() const noexcept { return bins > 0 ? std::ssize(below) / (bins + 1) : 0; }
  std::span<const double> column(std::int64_t index) const noexcept {
    const auto length = static_cast<std::size_t>(bins) + 1;
    return std::span(below).subspan(static_cast<std::size_t>(index) * length, length);
  }
};

struct ColumnRow {
  std::vector<std::int64_t> borders;  // the inner ones: the bin at which each domain ends
  double heaviest = 0;                // piece / speed
};

// speed_of(column, domain): the speed of a domain. Exact to a part in 2^40 of the heaviest piece.
ColumnRow best_row(const Columns& columns, std::int64_t domains,
                   const std::function<double(std::int64_t, std::int64_t)>& speed_of);

// The heaviest piece / speed between given borders.
double heaviest_piece(const Columns& columns, std::span<const std::int64_t> borders,
                      const std::function<double(std::int64_t, std::int64_t)>& speed_of);

}  // namespace evenkeel
