#pragma once

// Frames, on host and device. A frame maps a place to the coordinate in which owners are searched
// for, and counts periods. For domains that are boxes, the coordinate is the place inside the box;
// for ranges of a curve, it is a cell of the lattice. Places outside the box are mapped to exactly
// the same images as by the functions that find the owner of a point (GridAxis::inside,
// Lattice::coordinate).

#include "box/axes.hpp"

#include <evenkeel/core/box/axis.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/decomposition.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>

namespace evenkeel {

// The image of a place inside the box. `at` is its coordinate in the frame, and `turn` is the
// number of periods from the image to the place.
struct ImageInside {
  double at, turn;
};

// Returns the same as std::fmod, to the last bit, but faster for distances below two periods: there
// a subtraction has no rounding error.
KOKKOS_INLINE_FUNCTION double remainder_of(double distance, double period) {
  if (distance >= 0 && distance < period) return distance;
  if (distance >= period && distance < 2 * period) return distance - period;
  if (distance < 0 && distance > -period) return distance;
  return std::fmod(distance, period);
}

// Returns (distance - rest) / period, rounded to an integer: the number of whole periods in a
// distance.
KOKKOS_INLINE_FUNCTION double turn_of(double distance, double rest, double period) {
  return std::floor((distance - rest) / period + 0.5);
}

struct BoxFrame {
  GridAxis axes[3];  // no std::array: device code may not call its members

  explicit BoxFrame(const Decomposition& domains) {
    for (int axis = 0; axis < domains.dimensions(); ++axis)
      axes[axis] = axis_of(domains.box(), domains.periodic(), axis);
  }

  KOKKOS_FUNCTION ImageInside image(int axis, double place) const {
    constexpr double quarter = 0.25;
    const GridAxis& along = axes[axis];
    if (!(along.period > 0) || along.is_inside(place)) return {clamped(along, place), 0};
    const double distance = along.distance(place);
    const double behind = remainder_of(distance, along.period);
    const double rest = behind < 0 ? behind + along.period : behind;
    return {clamped(along, (along.lower * quarter + rest) / quarter),
            turn_of(distance, rest, along.period)};
  }
  KOKKOS_FUNCTION double lowest(int axis) const { return axes[axis].lower; }
  KOKKOS_FUNCTION double highest(int axis) const { return axes[axis].last; }

  // Distances from the lower face, in quarters of lengths: of a place, and of both ends of a
  // coordinate, which are in the box. The place is brought into the box along an axis that is not
  // periodic.
  KOKKOS_FUNCTION double distance(int axis, double place) const {
    const GridAxis& along = axes[axis];
    return along.distance(along.period > 0 ? place : clamped(along, place));
  }
  KOKKOS_FUNCTION double distance_from(int axis, double at) const {
    return axes[axis].distance(clamped(axes[axis], at));
  }
  KOKKOS_FUNCTION double distance_to(int axis, double at) const {
    return axes[axis].distance(clamped(axes[axis], at));
  }
  KOKKOS_FUNCTION double period(int axis) const { return axes[axis].period; }

 private:
  KOKKOS_FUNCTION static double clamped(const GridAxis& along, double place) {
    const double above = place < along.lower ? along.lower : place;
    return above > along.last ? along.last : above;
  }
};

struct CellFrame {
  Lattice lattice;
  double periods[3] = {};  // a quarter of each period, since Lattice::distance() is in quarters

  CellFrame(const Lattice& cells, const Box& box) : lattice(cells) {
    for (int axis = 0; axis < cells.dimensions(); ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      periods[axis] = box.upper[d] * 0.25 - box.lower[d] * 0.25;
    }
  }

  KOKKOS_FUNCTION ImageInside image(int axis, double place) const {
    const double distance = lattice.distance(axis, place), period = periods[axis];
    if (!lattice.wraps(axis) || (distance >= 0 && distance < period))
      return {static_cast<double>(lattice.coordinate_at(axis, distance)), 0};
    const double behind = remainder_of(distance, period);
    const double rest = behind < 0 ? behind + period : behind;
    return {static_cast<double>(lattice.coordinate_at(axis, rest)),
            turn_of(distance, rest, period)};
  }
  KOKKOS_FUNCTION double lowest(int) const { return 0; }
  KOKKOS_FUNCTION double highest(int axis) const { return lattice.last_coordinate(axis); }

  // As in BoxFrame. The ends of a coordinate are the faces of its cell. The last cell may extend
  // beyond the box.
  KOKKOS_FUNCTION double distance(int axis, double place) const {
    const double distance = lattice.distance(axis, place), most = periods[axis];
    if (lattice.wraps(axis)) return distance;
    const double above = distance < 0 ? 0 : distance;
    return above > most ? most : above;
  }
  KOKKOS_FUNCTION double distance_from(int axis, double at) const {
    const double cells = lattice.cells_per_length(axis);
    return cells > 0 ? at / cells : 0;
  }
  KOKKOS_FUNCTION double distance_to(int axis, double at) const {
    const double end = distance_from(axis, at + 1);
    return end < periods[axis] ? end : periods[axis];
  }
  KOKKOS_FUNCTION double period(int axis) const { return lattice.wraps(axis) ? periods[axis] : 0; }
};

// An interval of coordinates in a frame along an axis. Both ends are included.
struct Reach {
  double first, last;
};

// Returns the images of all places in [lower, upper] along an axis, and no others. If these places
// wrap around, there are two intervals.
template <class Frame>
std::vector<Reach> reaches_along(const Frame& frame, int axis, double lower, double upper) {
  constexpr double many = 0x1p50;  // from this on, a number of periods is not exact
  const ImageInside first = frame.image(axis, lower), last = frame.image(axis, upper);
  if (lower == upper) return {{first.at, first.at}};
  const bool are_exact = std::abs(first.turn) < many && std::abs(last.turn) < many;
  if (are_exact && first.turn == last.turn) return {{first.at, last.at}};
  const double lowest = frame.lowest(axis), highest = frame.highest(axis);
  if (are_exact && first.turn + 1 == last.turn && last.at < first.at)
    return {{lowest, last.at}, {first.at, highest}};
  return {{lowest, highest}};
}

// Returns the reaches along each axis of a box that is widened by `width` on all sides.
template <class Frame>
Reaches reaches_of(const Frame& frame, int dimensions, const Box& box, double width) {
  Reaches reaches;
  for (int axis = 0; axis < dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    reaches[d] = reaches_along(frame, axis, box.lower[d] - width, box.upper[d] + width);
  }
  return reaches;
}

// For kernels: an interval of places along one axis. It begins at the image `first` plus
// `first_turn` periods, and ends at the image `last` plus `last_turn` periods.
struct AxisReach {
  double first, last;
  int first_turn, last_turn;
};

template <class Frame>
KOKKOS_FUNCTION AxisReach reach_of(const Frame& frame, int axis, double from, double to) {
  const ImageInside first = frame.image(axis, from), last = frame.image(axis, to);
  return {first.at, last.at, static_cast<int>(first.turn), static_cast<int>(last.turn)};
}

}  // namespace evenkeel
