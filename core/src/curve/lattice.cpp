#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/curve.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace evenkeel {

namespace {

constexpr Refusal refuse{"core/curve"};

constexpr double most = std::numeric_limits<double>::max();

int checked_dimensions(int dimensions) {
  if (dimensions != 2 && dimensions != 3)
    refuse("A lattice in " + std::to_string(dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
  return dimensions;
}

int most_levels(int dimensions) {
  return dimensions == 3 ? curve_levels<3, std::uint64_t> : curve_levels<2, std::uint64_t>;
}

int checked_levels(int dimensions, int levels) {
  const int all = most_levels(dimensions);
  if (levels < 0 || levels > all)
    refuse("A lattice of " + std::to_string(levels) + " levels was asked for.",
           "In " + std::to_string(dimensions) + " dimensions, ask for 1 to " + std::to_string(all) +
               ", or for 0 to get as many as possible.");
  return levels == 0 ? all : levels;
}

// Returns the least number of levels with at least `cells` cells along a line. It may exceed the
// most levels of a lattice.
int levels_of(double cells) {
  return cells > 1 ? std::ilogb(cells) + (std::scalbn(1.0, std::ilogb(cells)) < cells ? 1 : 0) : 0;
}

}  // namespace

const char* stages::name_of(CurveKind kind) noexcept {
  switch (kind) {
    case CurveKind::hilbert: return "hilbert";
    case CurveKind::morton: return "morton";
    case CurveKind::snake: return "snake";
  }
  return "unknown";
}

int stages::levels_for(int dimensions, std::int64_t objects, double longest_side,
                       double smallest_spacing) {
  const int all = most_levels(checked_dimensions(dimensions));
  if (!(smallest_spacing > 0)) return all;
  const double mean_count =
      std::pow(static_cast<double>(std::max<std::int64_t>(objects, 1)), 1.0 / dimensions);
  const int by_count = levels_of(2 * mean_count);
  const int by_spacing = levels_of(std::min(longest_side / smallest_spacing, most));
  return std::clamp(std::max(by_count, by_spacing), 1, all);
}

Lattice::Lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic,
                 CurveKind curve, int levels)
    : dimensions_(checked_dimensions(dimensions)),
      levels_(checked_levels(dimensions, levels)),
      curve_(curve) {
  double longest = 0;
  std::array<double, 3> lengths = {};
  for (int d = 0; d < dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    lengths[axis] = box.upper[axis] * quarter - box.lower[axis] * quarter;
    longest = std::max(longest, lengths[axis]);
    axes_[d].lower = box.lower[axis] * quarter;
    axes_[d].period = periodic[axis] ? lengths[axis] : 0;
  }
  const auto cells = static_cast<double>(std::uint64_t{1} << levels_);
  // If the box has no extent, or is so small that the quotient overflows, it is a single cell.
  const double cells_per_length = longest > 0 && cells / longest <= most ? cells / longest : 0;
  for (int d = 0; d < dimensions; ++d) {
    const double along = lengths[static_cast<std::size_t>(d)] * cells_per_length;
    axes_[d].cells_per_length = cells_per_length;
    axes_[d].last = std::clamp(std::ceil(along) - 1, 0.0, cells - 1);
  }
}

}  // namespace evenkeel
