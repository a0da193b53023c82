#include "partition/drawing/view.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace evenkeel::tool {

namespace {

constexpr double thinnest = 1.0 / 12;  // side of a box that is drawn, in units

// Unit vectors of the corner view: to the right, upwards, and towards the eye.
const double right = 1 / std::sqrt(2.0), upward = 1 / std::sqrt(6.0), near = 1 / std::sqrt(3.0);

}  // namespace

Frame::Frame(const Box& box, int dimensions) : dimensions_(dimensions), box_(box) {
  const auto axes = static_cast<std::size_t>(dimensions);
  std::array<double, 3> length = {0, 0, 0};
  double longest = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    length[axis] = box.upper[axis] * quarter - box.lower[axis] * quarter;
    longest = std::max(longest, length[axis]);
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double share = longest > 0 ? length[axis] / longest : 1;
    sides_[axis] = std::max(share, thinnest);
    is_stretched_ = is_stretched_ || (share > 0 && share < thinnest);
    const double factor = sides_[axis] / length[axis];
    factor_[axis] = std::isfinite(factor) ? factor : 0;
  }
}

std::array<double, 3> Frame::unit(const double* place) const noexcept {
  std::array<double, 3> unit = {0, 0, 0};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions_); ++axis) {
    const double distance = place[axis] * quarter - box_.lower[axis] * quarter;
    unit[axis] = factor_[axis] > 0 ? std::clamp(distance * factor_[axis], 0.0, sides_[axis])
                                   : sides_[axis] / 2;
  }
  return unit;
}

std::array<double, 3> Frame::place(const std::array<double, 3>& unit) const noexcept {
  std::array<double, 3> place = box_.lower;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions_); ++axis) {
    if (!(factor_[axis] > 0)) continue;
    const double at = (box_.lower[axis] * quarter + unit[axis] / factor_[axis]) / quarter;
    place[axis] = std::clamp(at, box_.lower[axis], box_.upper[axis]);
  }
  return place;
}

View View::plane(const Frame& frame, int across, int up) {
  View view;
  view.across = across;
  view.up = up;
  view.away = 3 - across - up;
  view.width = frame.side(across);
  view.height = frame.side(up);
  return view;
}

View View::corner(const Frame& frame) {
  View view;
  view.kind = Kind::corner;
  view.width = (frame.side(0) + frame.side(1)) * right;
  view.height = (frame.side(0) + frame.side(1) + 2 * frame.side(2)) * upward;
  view.top_ = (frame.side(1) + 2 * frame.side(2)) * upward;
  return view;
}

Spot View::spot(const std::array<double, 3>& unit) const noexcept {
  if (kind == Kind::plane)
    return {unit[static_cast<std::size_t>(across)], height - unit[static_cast<std::size_t>(up)],
            -std::abs(unit[static_cast<std::size_t>(away)] - at)};
  return {(unit[0] + unit[1]) * right, top_ - (unit[1] - unit[0] + 2 * unit[2]) * upward,
          (unit[0] - unit[1] + unit[2]) * near};
}

std::array<double, 3> View::unit_at(double x, double y) const noexcept {
  std::array<double, 3> unit = {0, 0, 0};
  unit[static_cast<std::size_t>(across)] = x;
  unit[static_cast<std::size_t>(up)] = height - y;
  unit[static_cast<std::size_t>(away)] = at;
  return unit;
}

}  // namespace evenkeel::tool
