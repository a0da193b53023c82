#pragma once

// The motion of beads: velocity Verlet, and a solvent that damps velocities and adds random ones.
//
//   v += dt/2 f;  solvent;  v += dt/2 f;  x += dt v
//
// The first kick ends a step, the second begins the next. The solvent acts at a point where
// velocities and places belong to the same time. It applies the exact solution of Langevin's
// equation for the velocity alone, relative to the flow of the solvent. Random numbers are evenly
// distributed, which is as good as a normal distribution here (Duenweg and Paul, Int. J. Mod. Phys.
// C 2, 1991), and depend only on bead and step. The energy that the solvent takes is known up to
// rounding (Bussi and Parrinello, Phys. Rev. E 75, 2007), so gel and solvent together keep their
// energy up to the error of the integration.

#include "drying.hpp"
#include "neighbours.hpp"

namespace motion {

constexpr double friction = 2, temperature = 0.2;

}  // namespace motion

// Ends a step with the second half of its kick, and the solvent. Returns the energy that the
// solvent takes.
inline double end_step(const Beads& beads, std::int64_t step) {
  using namespace motion;
  const Beads b = beads;
  const double keep = std::exp(-friction * time_step);
  const double noise = std::sqrt(3 * temperature * (1 - keep * keep));  // for even_chance()
  const double rate = drying::rate_at(step);
  const std::uint64_t series = scramble(static_cast<std::uint64_t>(step));
  double given = 0;
  Kokkos::parallel_reduce(
      "end_step", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& sum) {
        for (int axis = 0; axis < 3; ++axis) {
          const double before = b.v(i, axis) + time_step / 2 * b.force(i, axis);
          const double flow = rate * b.x(i, axis);
          const double after =
              flow + keep * (before - flow) + noise * even_chance(series, 4 * b.id(i) + axis);
          sum += 0.5 * (before * before - after * after);
          b.v(i, axis) = after;
        }
      },
      given);
  return given;
}

// Begins a step with the first half of its kick, and moves the beads. Walls reflect beads.
inline void begin_step(const Beads& beads, const Network& network) {
  const Beads b = beads;
  const double side = network.side();
  Kokkos::parallel_for(
      "begin_step", beads.owned, KOKKOS_LAMBDA(std::int64_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          double v = b.v(i, axis) + time_step / 2 * b.force(i, axis);
          double x = b.x(i, axis) + time_step * v;
          if (x < 0 || x > side) {
            x = x < 0 ? -x : 2 * side - x;
            v = -v;
          }
          b.v(i, axis) = v;
          b.x(i, axis) = x;
        }
      });
  Kokkos::fence();
}
