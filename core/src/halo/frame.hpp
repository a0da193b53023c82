#pragma once

// Places as the search for ghosts sees them, for kernels: inside the box of the domains, with the
// number of periods between a place and its image there. Two kinds: places among boxes, and cells
// of the lattice of a curve. Both bring places inside exactly as the owner of a point is found.

#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/domains/axis.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>

namespace evenkeel {

struct BoxFrame {
  GridAxis axes[3];  // plain: device code may not call the members of std::array

  KOKKOS_FUNCTION double inside(int axis, double place) const { return axes[axis].inside(place); }
  KOKKOS_FUNCTION double turn(int axis, double place) const {
    const GridAxis& along = axes[axis];
    if (!(along.period > 0) || along.is_inside(place)) return 0;
    return std::floor((along.distance(place) - along.rest(place)) / along.period + 0.5);
  }
  KOKKOS_FUNCTION double lowest(int axis) const { return axes[axis].lower; }
  KOKKOS_FUNCTION double highest(int axis) const { return axes[axis].last; }
};

struct CellFrame {
  Lattice lattice;
  double periods[3] = {};  // in quarters of the user's lengths, as the lattice counts distances

  KOKKOS_FUNCTION double inside(int axis, double place) const {
    return lattice.coordinate(axis, place);
  }
  KOKKOS_FUNCTION double turn(int axis, double place) const {
    const double distance = lattice.distance(axis, place);
    const double wrapped = lattice.wrapped(axis, distance);
    return wrapped == distance ? 0 : std::floor((distance - wrapped) / periods[axis] + 0.5);
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
  return {frame.inside(axis, from), frame.inside(axis, to),
          static_cast<int>(frame.turn(axis, from)), static_cast<int>(frame.turn(axis, to))};
}

}  // namespace evenkeel
