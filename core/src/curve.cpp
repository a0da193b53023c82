#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/curve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace evenkeel {

namespace {

constexpr double most = std::numeric_limits<double>::max();

int checked(int dimensions) {
  if (dimensions != 2 && dimensions != 3)
    throw Error(ErrorKind::bad_input, Where{"core/curve"},
                "A lattice in " + std::to_string(dimensions) + " dimensions was asked for.",
                "There are curves in 2 and 3.");
  return dimensions;
}

}  // namespace

Lattice::Lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic)
    : dimensions_(checked(dimensions)) {
  double longest = 0;
  std::array<double, 3> lengths = {};
  for (int d = 0; d < dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    lengths[axis] = box.upper[axis] * quarter - box.lower[axis] * quarter;
    longest = std::max(longest, lengths[axis]);
    axes_[d].lower = box.lower[axis] * quarter;
    axes_[d].period = periodic[axis] ? lengths[axis] : 0;
  }
  const auto cells = static_cast<double>(std::uint64_t{1} << lattice_levels(dimensions));
  // A box without extent, or one so small that the quotient overflows, is one cell.
  const double cells_per_length = longest > 0 && cells / longest <= most ? cells / longest : 0;
  for (int d = 0; d < dimensions; ++d) {
    const double along = lengths[static_cast<std::size_t>(d)] * cells_per_length;
    axes_[d].cells_per_length = cells_per_length;
    axes_[d].last = std::clamp(std::ceil(along) - 1, 0.0, cells - 1);
  }
}

}  // namespace evenkeel
