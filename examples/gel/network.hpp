#pragma once

// The network of the gel: beads at the nodes of a cubic lattice, and strands between neighbours,
// some of which are missing. A bead's id is the number of its node. The strands of a bead depend
// only on this number, so any rank knows them without communication.

#include "chance.hpp"

struct Network {
  int edge = 37;  // beads along an edge

  static constexpr double spacing = 2;          // of the beads in the swollen gel
  static constexpr double strands_there = 0.8;  // the share of lattice edges with a strand

  std::int64_t beads() const { return std::int64_t{edge} * edge * edge; }
  double side() const { return spacing * edge; }  // of the container, which the swollen gel fills

  // The index of a bead along an axis. It is computed in 32 bits, since devices and hosts divide
  // 32-bit numbers much faster.
  KOKKOS_INLINE_FUNCTION int node(std::int64_t bead, int axis) const {
    const auto row = static_cast<std::uint32_t>(edge);
    auto number = static_cast<std::uint32_t>(bead);
    for (int k = 0; k < axis; ++k) number /= row;
    return static_cast<int>(number % row);
  }
  // Beads on the three lowest faces of the container are grafted to these walls, along which they
  // slide.
  KOKKOS_INLINE_FUNCTION bool is_grafted(std::int64_t bead, int axis) const {
    return node(bead, axis) == 0;
  }
  // True if there is a strand from a bead to the next one along an axis.
  KOKKOS_INLINE_FUNCTION bool has_strand(std::int64_t bead, int axis) const {
    constexpr std::uint64_t of_strands = 0x5dee7ULL << 32U;
    return node(bead, axis) + 1 < edge &&
           even_chance(of_strands, 4 * bead + axis) < 2 * strands_there - 1;
  }
  KOKKOS_INLINE_FUNCTION bool are_joined(std::int64_t one, std::int64_t other) const {
    const std::int64_t lower = one < other ? one : other;
    const std::int64_t way = one + other - 2 * lower;
    const std::int64_t row = edge;
    const int axis = way == 1 ? 0 : way == row ? 1 : way == row * row ? 2 : -1;
    return axis >= 0 && has_strand(lower, axis);
  }

  // The number of strands.
  std::int64_t strands() const {
    const Network network = *this;
    std::int64_t count = 0;
    Kokkos::parallel_reduce(
        "strands", beads(),
        KOKKOS_LAMBDA(std::int64_t bead, std::int64_t & found) {
          for (int axis = 0; axis < 3; ++axis) found += network.has_strand(bead, axis) ? 1 : 0;
        },
        count);
    return count;
  }
};
