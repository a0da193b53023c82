#pragma once

// How the panels of a drawing show space: the plane as it is; a solid from one of its corners, and
// in thin slabs along each axis.

#include <evenkeel/core/box.hpp>

#include <array>
#include <limits>

namespace evenkeel::tool {

// Coordinates in units of the box's longest side, from its lower corner on. Axes that would be too
// thin to see are stretched, and on an axis without extent all places are in the middle.
class Frame {
 public:
  Frame(const Box& box, int dimensions);

  int dimensions() const noexcept { return dimensions_; }
  double side(int axis) const noexcept { return sides_[static_cast<std::size_t>(axis)]; }
  bool is_stretched() const noexcept { return is_stretched_; }

  // Of a place; places outside the box are at its rim.
  std::array<double, 3> unit(const double* place) const noexcept;
  // The inverse, within the box.
  std::array<double, 3> place(const std::array<double, 3>& unit) const noexcept;

 private:
  static constexpr double quarter = 0.25;  // keeps differences of the greatest numbers finite

  int dimensions_;
  Box box_;
  std::array<double, 3> sides_ = {0, 0, 0};   // in units
  std::array<double, 3> factor_ = {0, 0, 0};  // units in a quarter of the user's lengths
  bool is_stretched_ = false;
};

// A place on a panel, in units: to the right, down, and towards the eye.
struct Spot {
  double x = 0, y = 0, nearness = 0;
};

struct View {
  enum class Kind { plane, corner };
  Kind kind = Kind::plane;
  int across = 0, up = 1, away = 2;  // axes; of a plane

  // The slab that is shown, along the axis away, and its plane; in units, `to` is outside.
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
  double at = 0;

  double width = 0, height = 0;  // of the panel, in units

  static View plane(const Frame& frame, int across, int up);
  // From the corner of the greatest first and third coordinate and the least second one.
  static View corner(const Frame& frame);

  bool shows(const std::array<double, 3>& unit) const noexcept {
    const double depth = unit[static_cast<std::size_t>(away)];
    return kind == Kind::corner || (from <= depth && depth < to);
  }
  Spot spot(const std::array<double, 3>& unit) const noexcept;
  // The place of a spot on the plane.
  std::array<double, 3> unit_at(double x, double y) const noexcept;

 private:
  double top_ = 0;  // of the corner view: how high its highest corner is above the lowest left one
};

}  // namespace evenkeel::tool
