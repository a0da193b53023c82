#pragma once

// How beads move: velocity Verlet, and a solvent that takes velocities away and gives others back.
//
//   v += dt/2 f;  solvent;  v += dt/2 f;  x += dt v
//
// The first kick ends a step, the second begins the next. Velocities meet the solvent where they
// belong to the same time as places, by the exact solution of Langevin's equation for the velocity
// alone. Random numbers are evenly distributed, which does as well as a normal distribution here
// (Duenweg and Paul, Int. J. Mod. Phys. C 2, 1991), and follow from bead and step. What the solvent
// gets is known to rounding (Bussi and Parrinello, Phys. Rev. E 75, 2007), so energy and heat
// together stay what they were but for the error of the integration.

#include "neighbours.hpp"

namespace motion {

constexpr double dt = 0.01;
constexpr double friction = 0.5, temperature = 0.4;

}  // namespace motion

// Ends a step: the second half of its kick, and the solvent. Returns the heat that the solvent
// gets.
inline double end_step(const Beads& beads, std::int64_t step) {
  using namespace motion;
  const Beads b = beads;
  const double keep = std::exp(-friction * dt);
  const double noise = std::sqrt(3 * temperature * (1 - keep * keep));  // of even chances
  const std::uint64_t series = scramble(static_cast<std::uint64_t>(step));
  double heat = 0;
  Kokkos::parallel_reduce(
      "end_step", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& given) {
        for (int axis = 0; axis < 3; ++axis) {
          const double before = b.v(i, axis) + dt / 2 * b.force(i, axis);
          const double after = keep * before + noise * even_chance(series, 4 * b.id(i) + axis);
          given += 0.5 * (before * before - after * after);
          b.v(i, axis) = after;
        }
      },
      heat);
  return heat;
}

// Begins a step: the first half of its kick, and the way. Walls throw beads back. Returns how far
// the bead has gone that has gone farthest since the lists were made.
inline double begin_step(const Beads& beads, const Network& network, const Neighbours& lists) {
  using namespace motion;
  const Beads b = beads;
  const Vectors made_at = lists.made_at;
  const double side = network.side();
  double farthest = 0;
  Kokkos::parallel_reduce(
      "begin_step", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& most) {
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
          double v = b.v(i, axis) + dt / 2 * b.force(i, axis);
          double x = b.x(i, axis) + dt * v;
          if (x < 0 || x > side) {
            x = x < 0 ? -x : 2 * side - x;
            v = -v;
          }
          b.v(i, axis) = v;
          b.x(i, axis) = x;
          const double way = x - made_at(i, axis);
          square += way * way;
        }
        most = square > most ? square : most;
      },
      Kokkos::Max<double>(farthest));
  return std::sqrt(std::max(0.0, farthest));  // of no beads at all: 0
}
