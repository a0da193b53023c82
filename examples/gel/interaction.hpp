#pragma once

// The forces between two beads. All beads attract each other by the potential of Lennard-Jones, up
// to a range. A strand pulls like one of Kremer and Grest (J. Chem. Phys. 92, 1990). It cannot be
// longer than the reach of lists of neighbours, so the beads that are joined to a bead are always
// in its list.

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

// The smaller of `square` and the squared range. A branch would be slow, since no processor could
// predict it.
KOKKOS_INLINE_FUNCTION double up_to_range(double square) {
  const double excess = square - square_of_range;
  return square - 0.5 * (excess + std::fabs(excess));
}

}  // namespace detail

// The factor that turns the vector from one bead to the other into the force; negative if the force
// attracts. `square` is the squared distance. The force is shifted, so it fades to 0 at the range.
KOKKOS_INLINE_FUNCTION double push(double square) {
  return detail::push(detail::up_to_range(square)) - detail::push_at_range;
}
KOKKOS_INLINE_FUNCTION double energy(double square) {
  return detail::energy(detail::up_to_range(square)) - detail::energy_at_range;
}

// The same for strands. A strand is torn at its greatest length.
KOKKOS_INLINE_FUNCTION bool is_torn(double square) { return square >= square_of_longest; }
KOKKOS_INLINE_FUNCTION double strand_push(double square) {
  return is_torn(square) ? 0 : -stiffness / (1 - square / square_of_longest);
}
KOKKOS_INLINE_FUNCTION double strand_energy(double square) {
  if (is_torn(square)) return 0;
  return -0.5 * stiffness * square_of_longest * std::log(1 - square / square_of_longest);
}

// The wall holds a grafted bead at this depth.
constexpr double graft_stiffness = 20, graft_depth = 0.5;
KOKKOS_INLINE_FUNCTION double graft_force(double x) { return graft_stiffness * (graft_depth - x); }
KOKKOS_INLINE_FUNCTION double graft_energy(double x) {
  return 0.5 * graft_stiffness * (graft_depth - x) * (graft_depth - x);
}

// Components of forces are integers, in units of a grain. Sums of integers are exact, so they do
// not depend on the order of neighbours. Only this order depends on ranks, so beads take the same
// way to the last bit on any number of ranks.
constexpr double grains = 0x1p32;  // in a unit of force

}  // namespace interaction
