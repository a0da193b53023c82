#pragma once

// How two beads act on each other. All beads attract each other as Lennard-Jones has it, up to a
// range. A strand pulls like one of Kremer and Grest (J. Chem. Phys. 92, 1990), and cannot be
// longer than a bead looks for neighbours; so who is joined to a bead is always among them.

#include <Kokkos_Core.hpp>

#include <cmath>

namespace interaction {

constexpr double range = 2, square_of_range = range * range;
// Lists of neighbours have all beads within the range and a skin.
constexpr double skin = 0.4, reach = range + skin;
constexpr double stiffness = 0.5, square_of_longest = reach * reach;  // of strands

namespace detail {

KOKKOS_INLINE_FUNCTION constexpr double push(double square) {
  const double inverse = 1 / square, sixth = inverse * inverse * inverse;
  return inverse * sixth * (48 * sixth - 24);
}
constexpr double push_at_range = push(square_of_range);
KOKKOS_INLINE_FUNCTION constexpr double energy(double square) {
  const double inverse = 1 / square, sixth = inverse * inverse * inverse;
  return 4 * sixth * (sixth - 1) + 0.5 * push_at_range * square;
}
constexpr double energy_at_range = energy(square_of_range);

// The lesser of this and the range's. By arithmetic, since which is less no processor can predict.
KOKKOS_INLINE_FUNCTION double up_to_range(double square) {
  const double excess = square - square_of_range;
  return square - 0.5 * (excess + std::fabs(excess));
}

}  // namespace detail

// What the vector from one bead to the other is to be multiplied by to give the force; negative
// where it attracts. `square`: of the distance. It is shifted, so that it fades to 0 at the range.
KOKKOS_INLINE_FUNCTION double push(double square) {
  return detail::push(detail::up_to_range(square)) - detail::push_at_range;
}
KOKKOS_INLINE_FUNCTION double energy(double square) {
  return detail::energy(detail::up_to_range(square)) - detail::energy_at_range;
}

// The same of strands, which are torn where they would be longer than they can be.
KOKKOS_INLINE_FUNCTION bool is_torn(double square) { return square >= square_of_longest; }
KOKKOS_INLINE_FUNCTION double strand_push(double square) {
  return is_torn(square) ? 0 : -stiffness / (1 - square / square_of_longest);
}
KOKKOS_INLINE_FUNCTION double strand_energy(double square) {
  if (is_torn(square)) return 0;
  return -0.5 * stiffness * square_of_longest * std::log(1 - square / square_of_longest);
}

// The wall holds a grafted bead at a depth.
constexpr double graft_stiffness = 20, graft_depth = 0.5;
KOKKOS_INLINE_FUNCTION double graft_force(double x) { return graft_stiffness * (graft_depth - x); }
KOKKOS_INLINE_FUNCTION double graft_energy(double x) {
  return 0.5 * graft_stiffness * (graft_depth - x) * (graft_depth - x);
}

// Parts of forces are counted in grains, as integers. Sums of integers are exact, and therefore the
// same in whatever order neighbours come. That order is all in which ranks differ, so beads take
// the same way to the last bit on any ranks.
constexpr double grains = 0x1p32;  // in a unit of force

}  // namespace interaction
