#include "box/axes.hpp"

namespace evenkeel {

GridAxis::GridAxis(double lower_face, double upper_face, bool is_periodic)
    : lower(lower_face),
      last(std::nextafter(upper_face, -std::numeric_limits<double>::infinity())),
      period(is_periodic ? upper_face * quarter - lower_face * quarter : 0) {}

void check_axes(int dimensions, const Box& box, const std::array<bool, 3>& periodic) {
  Box used;
  std::array<bool, 3> wraps = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    used.lower[d] = box.lower[d];
    used.upper[d] = box.upper[d];
    wraps[d] = periodic[d];
  }
  check(used, wraps);
}

GridAxis axis_of(const Box& box, const std::array<bool, 3>& periodic, int axis) {
  const auto d = static_cast<std::size_t>(axis);
  return GridAxis(box.lower[d], box.upper[d], periodic[d]);
}

}  // namespace evenkeel
