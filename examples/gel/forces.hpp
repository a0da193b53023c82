#pragma once

// Forces on the owned beads, and the energy that goes with them. Each bead sums over its own list,
// so ranks compute what acts across a border on both sides, and nothing has to be sent back.

#include "neighbours.hpp"

// Calls act(d, square, is_joined) for each bead within the range of bead i, d being the vector from
// that one to i.
template <class Act>
KOKKOS_INLINE_FUNCTION void for_each_in_range(const Vectors& x, const Neighbours& lists,
                                              std::int64_t i, const Act& act) {
  const double here[3] = {x(i, 0), x(i, 1), x(i, 2)};
  for (int k = 0; k < lists.count(i); ++k) {
    const int entry = lists.near(i, k), j = Neighbours::index_of(entry);
    const double d[3] = {here[0] - x(j, 0), here[1] - x(j, 1), here[2] - x(j, 2)};
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (square < interaction::square_of_range) act(d, square, entry < 0);
  }
}

inline void compute_forces(const Beads& beads, const Network& network, const Neighbours& lists) {
  const Beads b = beads;
  Kokkos::parallel_for(
      "forces", beads.owned, KOKKOS_LAMBDA(std::int64_t i) {
        double sum[3] = {0, 0, 0};
        for_each_in_range(b.x, lists, i,
                          [&sum](const double(&d)[3], double square, bool is_joined) {
                            double push = interaction::push(square);
                            if (is_joined) push += interaction::strand_push(square);
                            for (int axis = 0; axis < 3; ++axis)
                              sum[axis] += interaction::in_grains(push * d[axis]);
                          });
        for (int axis = 0; axis < 3; ++axis) {
          if (network.is_grafted(b.id(i), axis))
            sum[axis] += interaction::in_grains(interaction::graft_force(b.x(i, axis)));
          b.force(i, axis) = sum[axis];
        }
      });
  Kokkos::fence();
}

// Of this rank's beads; half of what is between two beads.
struct Energy {
  double potential = 0, kinetic = 0;
  double strands = 0;
};

inline Energy energy_of(const Beads& beads, const Network& network, const Neighbours& lists) {
  const Beads b = beads;
  Energy found;
  Kokkos::parallel_reduce(
      "potential", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& sum) {
        for_each_in_range(b.x, lists, i, [&sum](const double(&)[3], double square, bool is_joined) {
          sum += 0.5 * interaction::energy(square);
          if (is_joined) sum += 0.5 * interaction::strand_energy(square);
        });
        for (int axis = 0; axis < 3; ++axis)
          if (network.is_grafted(b.id(i), axis)) sum += interaction::graft_energy(b.x(i, axis));
      },
      found.potential);
  Kokkos::parallel_reduce(
      "kinetic", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& sum) {
        for (int axis = 0; axis < 3; ++axis) sum += 0.5 * b.v(i, axis) * b.v(i, axis);
      },
      found.kinetic);
  Kokkos::parallel_reduce(
      "strands", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& sum) {
        for_each_in_range(b.x, lists, i, [&sum](const double(&)[3], double, bool is_joined) {
          sum += is_joined ? 0.5 : 0;
        });
      },
      found.strands);
  return found;
}
