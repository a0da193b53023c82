#pragma once

// Forces on the owned beads, and their energy. Each bead sums over its own list. So if two beads
// are on different ranks, both ranks compute their force, and no rank sends a force back.

#include "neighbours.hpp"

// The vector from bead j to a place, and the square of its length.
struct Way {
  double d[3];
  double square;

  KOKKOS_INLINE_FUNCTION Way(const double (&to)[3], const Vectors& x, int j)
      : d{to[0] - x(j, 0), to[1] - x(j, 1), to[2] - x(j, 2)},
        square(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) {}
};

// The parts of a force, in grains.
struct Force {
  std::int64_t parts[3] = {0, 0, 0};

  // Adds the force `push` times `way`, which is the vector between two beads.
  KOKKOS_INLINE_FUNCTION void add(double push, const Way& way) {
    const double in_grains = interaction::grains * push;
    for (int axis = 0; axis < 3; ++axis)
      parts[axis] += static_cast<std::int64_t>(in_grains * way.d[axis]);
  }
};

// The force on bead i.
KOKKOS_INLINE_FUNCTION Force force_on(const Beads& beads, const Network& network,
                                      const Neighbours& lists, std::int64_t i) {
  Force force;
  const double here[3] = {beads.x(i, 0), beads.x(i, 1), beads.x(i, 2)};
  for (int k = 0; k < lists.count(i); ++k) {
    const Way way(here, beads.x, lists.near(i, k));
    force.add(interaction::push(way.square), way);
  }
  for (int k = 0; k < lists.joined(i); ++k) {
    const Way way(here, beads.x, lists.near(i, k));
    force.add(interaction::strand_push(way.square), way);
  }
  for (int axis = 0; axis < 3; ++axis)
    if (network.is_grafted(beads.id(i), axis))
      force.parts[axis] +=
          static_cast<std::int64_t>(interaction::grains * interaction::graft_force(here[axis]));
  return force;
}

inline void compute_forces(const Beads& beads, const Network& network, const Neighbours& lists) {
  const Beads b = beads;
  Kokkos::parallel_for(
      "forces", beads.owned, KOKKOS_LAMBDA(std::int64_t i) {
        const Force force = force_on(b, network, lists, i);
        for (int axis = 0; axis < 3; ++axis)
          b.force(i, axis) = static_cast<double>(force.parts[axis]) / interaction::grains;
      });
  Kokkos::fence();
}

// The energy of this rank's beads. Each bead has half of the energy between two beads.
struct Energy {
  double potential = 0, kinetic = 0;
  double strands = 0;  // strands that are not torn
};

KOKKOS_INLINE_FUNCTION Energy energy_of_bead(const Beads& beads, const Network& network,
                                             const Neighbours& lists, std::int64_t i) {
  Energy energy;
  const double here[3] = {beads.x(i, 0), beads.x(i, 1), beads.x(i, 2)};
  for (int k = 0; k < lists.count(i); ++k)
    energy.potential += 0.5 * interaction::energy(Way(here, beads.x, lists.near(i, k)).square);
  for (int k = 0; k < lists.joined(i); ++k) {
    const double square = Way(here, beads.x, lists.near(i, k)).square;
    energy.potential += 0.5 * interaction::strand_energy(square);
    energy.strands += interaction::is_torn(square) ? 0 : 0.5;
  }
  for (int axis = 0; axis < 3; ++axis) {
    energy.kinetic += 0.5 * beads.v(i, axis) * beads.v(i, axis);
    if (network.is_grafted(beads.id(i), axis))
      energy.potential += interaction::graft_energy(here[axis]);
  }
  return energy;
}

inline Energy energy_of(const Beads& beads, const Network& network, const Neighbours& lists) {
  const Beads b = beads;
  Energy found;
  Kokkos::parallel_reduce(
      "energy", Kokkos::RangePolicy<>(0, beads.owned),
      KOKKOS_LAMBDA(std::int64_t i, double& potential, double& kinetic, double& strands) {
        const Energy of_bead = energy_of_bead(b, network, lists, i);
        potential += of_bead.potential;
        kinetic += of_bead.kinetic;
        strands += of_bead.strands;
      },
      found.potential, found.kinetic, found.strands);
  return found;
}
