#pragma once

// Places as the search for ghosts sees them, for kernels: inside the box of the domains, with the
// number of periods between a place and its image there. Two kinds: places among boxes, and cells
// of the lattice of a curve. Both bring places inside exactly as the owner of a point is found
// (GridAxis::inside, Lattice::coordinate).

#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/domains/axis.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>

namespace evenkeel {

// The image inside of a place, as a coordinate of its frame, and the periods to the place.
struct ImageInside {
  double at, turn;
};

// What std::fmod returns, to the bit: for distances below two periods it is a difference that has
// no rounding error.
KOKKOS_INLINE_FUNCTION double remainder_of(double distance, double period) {
  if (distance >= 0 && distance < period) return distance;
  if (distance >= period && distance < 2 * period) return distance - period;
  if (distance < 0 && distance > -period) return distance;
  return std::fmod(distance, period);
}

// The periods between a distance and what is left of it, a whole number but for rounding.
KOKKOS_INLINE_FUNCTION double turn_of(double distance, double rest, double period) {
  return std::floor((distance - rest) / period + 0.5);
}

struct BoxFrame {
  GridAxis axes[3];  // plain: device code may not call the members of std::array

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

 private:
  KOKKOS_FUNCTION static double clamped(const GridAxis& along, double place) {
    const double above = place < along.lower ? along.lower : place;
    return above > along.last ? along.last : above;
  }
};

struct CellFrame {
  Lattice lattice;
  double periods[3] = {};  // in quarters of the user's lengths, as the lattice counts distances

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
};

// What an interval of places reaches along one axis: from `first` inside, `first_turn` periods on,
// to `last` inside, `last_turn` periods on, and all between.
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
