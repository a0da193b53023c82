#pragma once

// How two beads act on each other, in units of the depth of their attraction, the bead's diameter
// and its mass. All beads attract each other as Lennard-Jones has it, up to a range. A strand pulls
// like one of Kremer and Grest (J. Chem. Phys. 92, 1990), and cannot be longer than that range; so
// who is joined to a bead is always among its neighbours.

#include <Kokkos_Core.hpp>

#include <cmath>

namespace interaction {

constexpr double range = 2.5, square_of_range = range * range;
constexpr double stiffness = 3;  // of strands

// What the vector from one bead to the other is to be multiplied by to give the force; negative
// where it attracts. `square`: of the distance, below that of the range.
KOKKOS_INLINE_FUNCTION double push(double square) {
  const double inverse = 1 / square, sixth = inverse * inverse * inverse;
  return inverse * sixth * (48 * sixth - 24);
}
KOKKOS_INLINE_FUNCTION double strand_push(double square) {
  return -stiffness / (1 - square / square_of_range);
}

KOKKOS_INLINE_FUNCTION double energy(double square) {
  constexpr double at_range = 1 / (square_of_range * square_of_range * square_of_range);
  const double inverse = 1 / square, sixth = inverse * inverse * inverse;
  return 4 * (sixth * (sixth - 1) - at_range * (at_range - 1));
}
KOKKOS_INLINE_FUNCTION double strand_energy(double square) {
  return -0.5 * stiffness * square_of_range * std::log(1 - square / square_of_range);
}

// The wall holds a grafted bead at a depth.
constexpr double graft_stiffness = 20, graft_depth = 0.5;
KOKKOS_INLINE_FUNCTION double graft_force(double x) { return graft_stiffness * (graft_depth - x); }
KOKKOS_INLINE_FUNCTION double graft_energy(double x) {
  return 0.5 * graft_stiffness * (graft_depth - x) * (graft_depth - x);
}

// Parts of forces are multiples of this, and so are their sums: these are exact, and therefore the
// same in whatever order neighbours come. That order is all in which ranks differ, so beads take
// the same way to the last bit on any ranks.
constexpr double grain = 0x1p-32;
KOKKOS_INLINE_FUNCTION double in_grains(double force) {
  constexpr double shift = 1.5 * 0x1p52 * grain;  // its last bit is a grain
  return (force + shift) - shift;
}

}  // namespace interaction
