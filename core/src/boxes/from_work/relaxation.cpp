#include "boxes/from_work/next_grids.hpp"

#include <limits>

namespace evenkeel {

namespace {

constexpr double least_gamma = 4.1, most_of_a_domain = 0.49;

double gamma_of(std::span<const double> borders, std::size_t domains) {
  double narrowest = std::numeric_limits<double>::infinity(), widest = 0;
  for (std::size_t first = 0; first < borders.size(); first += domains + 1)
    for (std::size_t d = first; d < first + domains; ++d) {
      narrowest = std::min(narrowest, borders[d + 1] - borders[d]);
      widest = std::max(widest, borders[d + 1] - borders[d]);
    }
  return std::max(least_gamma, 1.1 * (1 + widest / narrowest));
}

void relax_row(std::span<double> row, std::span<const double> loads, double gamma) {
  const std::vector<double> before(row.begin(), row.end());
  for (std::size_t b = 1; b + 1 < row.size(); ++b) {
    const double both = loads[b - 1] + loads[b];
    if (!(both > 0)) continue;
    const double below = before[b] - before[b - 1], above = before[b + 1] - before[b];
    const double shift = 0.5 / gamma * (loads[b] - loads[b - 1]) / both * (below + above);
    row[b] += std::clamp(shift, -most_of_a_domain * below, most_of_a_domain * above);
  }
}

}  // namespace

UnitGrid relaxed(const UnitGrid& grid, GridScheme scheme, std::span<const double> loads,
                 double gamma, const GridFrame& frame) {
  UnitGrid moved = grid;
  std::size_t inside = grid.parts(), rows = 1;
  for (std::size_t level = 0; level < 3; ++level) {
    const std::size_t n = grid.domains[level];
    inside /= n;
    // The load of each domain of the level. In a tensor grid, each row gets the sums over all rows.
    std::vector<double> sums(rows * n);
    for (std::size_t d = 0; d < loads.size(); ++d) {
      const std::size_t of_level = d / inside;
      if (scheme == GridScheme::staggered) {
        sums[of_level] += loads[d];
        continue;
      }
      for (std::size_t row = 0; row < rows; ++row) sums[row * n + of_level % n] += loads[d];
    }
    const double by = gamma > 0 ? gamma : gamma_of(grid.borders[level], n);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto borders = std::span(moved.borders[level]).subspan(row * (n + 1), n + 1);
      relax_row(borders, std::span(sums).subspan(row * n, n), by);
      frame.allow(level, borders.subspan(1, n - 1));
    }
    rows *= n;
  }
  return moved;
}

}  // namespace evenkeel
