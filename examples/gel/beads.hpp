#pragma once

// The beads of this rank. The first `owned` beads are its own. Behind them are the ghosts, of which
// a rank has only the places and the numbers. Beads begin at rest, at their places in the swollen
// network.

#include <evenkeel/evenkeel.hpp>

#include "network.hpp"

namespace ek = evenkeel;

using Vectors = Kokkos::View<double* [3], Kokkos::LayoutRight>;
using Numbers = Kokkos::View<std::int64_t*>;

struct Beads {
  Vectors x, v;
  Numbers id;  // the number in the network
  // The cost of a bead: the number of its neighbours, plus `cost_besides` for all other work.
  Kokkos::View<int*> cost;
  Vectors force;  // of owned beads; allocated when lists are made
  std::int64_t owned = 0;

  static constexpr int cost_besides = 10;
  // If this is true, the costs are weights. Otherwise they are features, and the Balancer learns
  // the cost of a unit.
  bool costs_are_given = true;

  // The arrays that move together. Views keep room for ghosts.
  ek::Set as_set() {
    ek::SetOptions options{.count = &owned, .reserve = 1.5};
    (costs_are_given ? options.weight : options.features) = cost;
    return ek::set(x, ek::carry(v, id, cost), options);
  }
  // The arrays that ghosts have.
  ek::Set with_ghosts() { return ek::set(x, ek::carry(id), {.count = &owned, .reserve = 1.5}); }
  ek::Set places() { return ek::set(x, {}, {.count = &owned}); }
};

// Makes the beads whose numbers are in this rank's share, at any places in the gel.
inline Beads swell(const ek::Communicator& ranks, const Network& network) {
  const std::int64_t first = network.beads() * ranks.rank() / ranks.size();
  const std::int64_t count = network.beads() * (ranks.rank() + 1) / ranks.size() - first;
  Beads beads{Vectors("x", count),  Vectors("v", count),
              Numbers("id", count), Kokkos::View<int*>("cost", count),
              Vectors("force", 0),  count};
  const Beads made = beads;
  Kokkos::parallel_for(
      "swell", count, KOKKOS_LAMBDA(std::int64_t i) {
        constexpr std::uint64_t of_places = 0x91aceULL << 32U;
        constexpr double scatter = 0.05;
        made.id(i) = first + i;
        made.cost(i) = Beads::cost_besides;
        for (int axis = 0; axis < 3; ++axis)
          made.x(i, axis) = Network::spacing * (network.node(first + i, axis) + 0.5) +
                            scatter * even_chance(of_places, 4 * (first + i) + axis);
      });
  Kokkos::fence();
  return beads;
}
