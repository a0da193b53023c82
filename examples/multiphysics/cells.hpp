#pragma once

// The cells of a rank, with the values of both solvers and their neighbours.

#include <evenkeel/evenkeel.hpp>

#include "flow.hpp"
#include "sound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ek = evenkeel;

constexpr int sides = 24;  // quarters of faces
using Names = Kokkos::View<std::int64_t* [sides], Kokkos::LayoutRight>;
using Places = Kokkos::View<int* [sides], Kokkos::LayoutRight>;

// The first `owned` cells belong to this rank. Behind them are the ghosts: cells of other ranks
// that share a face with one of these.
struct Cells {
  Octree tree;
  Kokkos::View<double* [3], Kokkos::LayoutRight> x;
  Kokkos::View<std::int64_t*> id;
  Kokkos::View<int* [2], Kokkos::LayoutRight> solvers;  // flow_solver or no_solver; likewise sound
  FlowValues flow, new_flow;
  SoundValues sound, integral, new_integral;
  Kokkos::View<double*> heat, mean_heat, source;
  std::int64_t owned = 0;

  // The arrays below are rebuilt after each move.
  Places neighbours;                           // -1 for a place outside of the cube
  Kokkos::View<int*> flow_cells, sound_cells;  // those of the owned cells

  std::size_t extent() const { return static_cast<std::size_t>(owned); }

  // The arrays that move together. The solvers of a cell are its types.
  ek::Set as_set(const std::vector<double>& type_costs) {
    return ek::set(x, ek::carry(id, solvers, flow, sound, integral, mean_heat),
                   {.count = &owned, .type = solvers, .type_costs = type_costs, .reserve = 1.5});
  }
};

// Every rank makes the leaves of its share of the coarse cells.
inline Cells make_cells(const ek::Communicator& ranks, std::int64_t about) {
  constexpr double roots_per_leaf = 0.2;
  Cells cells;
  cells.tree.roots =
      std::max(8, static_cast<int>(std::cbrt(roots_per_leaf * static_cast<double>(about))));
  const std::int64_t roots = cells.tree.roots, all = roots * roots * roots;
  std::vector<std::int64_t> leaves;
  for (std::int64_t root = all * ranks.rank() / ranks.size();
       root < all * (ranks.rank() + 1) / ranks.size(); ++root) {
    const std::int64_t at[3] = {root % roots, root / roots % roots, root / roots / roots};
    cells.tree.for_each_leaf(0, at, [&](std::int64_t leaf) { leaves.push_back(leaf); });
  }
  cells.owned = std::ssize(leaves);
  cells.id = Kokkos::View<std::int64_t*>("id", leaves.size());
  Kokkos::deep_copy(
      cells.id, Kokkos::View<const std::int64_t*, Kokkos::HostSpace>(leaves.data(), leaves.size()));
  Kokkos::realloc(cells.x, leaves.size());
  Kokkos::realloc(cells.solvers, leaves.size());
  Kokkos::realloc(cells.flow, leaves.size());
  Kokkos::realloc(cells.sound, leaves.size());
  Kokkos::realloc(cells.integral, leaves.size());
  Kokkos::realloc(cells.mean_heat, leaves.size());
  const Cells c = cells;
  Kokkos::parallel_for(
      "begin", c.owned, KOKKOS_LAMBDA(std::int64_t i) {
        double place[3];
        for (int axis = 0; axis < 3; ++axis)
          place[axis] = c.x(i, axis) = c.tree.middle_of(c.id(i), axis);
        c.solvers(i, 0) = Octree::is_flow(place) ? flow_solver : no_solver;
        c.solvers(i, 1) = Octree::is_sound(place) ? sound_solver : no_solver;
        flow_at_first(place, &c.flow(i, 0));
      });
  Kokkos::fence();
  return cells;
}

// The owned cells of one solver.
inline Kokkos::View<int*> cells_of(const Cells& cells, int solver) {
  const auto solvers = cells.solvers;
  const Kokkos::View<int*> list("list", cells.extent());
  int found = 0;
  Kokkos::parallel_scan(
      "list", cells.owned,
      KOKKOS_LAMBDA(std::int64_t i, int& sum, bool last) {
        if (solvers(i, solver) != solver) return;
        if (last) list(sum) = static_cast<int>(i);
        ++sum;
      },
      found);
  return Kokkos::subview(list, std::pair(0, found));
}

inline Names neighbours_of(const Cells& cells) {
  const Names names("names", cells.extent());
  const auto id = cells.id;
  const Octree tree = cells.tree;
  Kokkos::parallel_for(
      "names", cells.owned, KOKKOS_LAMBDA(std::int64_t i) {
        for (int side = 0; side < sides; ++side) {
          const std::int64_t first = names(i, side / 4 * 4);
          const bool is_first = side % 4 == 0;
          const bool is_finer =
              !is_first && first >= 0 && Octree::level_of(first) > Octree::level_of(id(i));
          names(i, side) = is_first || is_finer ? tree.neighbour(id(i), side / 4, side % 4) : first;
        }
      });
  Kokkos::fence();
  return names;
}

// The neighbours that are not owned cells. `places` has the indices of owned neighbours.
inline Kokkos::View<std::int64_t*> foreign_of(const Names& names, const Places& places) {
  const Kokkos::View<std::int64_t*> list("foreign", names.size());
  int found = 0;
  Kokkos::parallel_scan(
      "foreign", names.size(),
      KOKKOS_LAMBDA(std::int64_t k, int& sum, bool last) {
        const std::int64_t i = k / sides, side = k % sides;
        if (places(i, side) >= 0 || names(i, side) < 0) return;
        if (last) list(sum) = names(i, side);
        ++sum;
      },
      found);
  return Kokkos::subview(list, std::pair(0, found));
}

// Collective. Call this after a move. Finds the ghosts, the indices of neighbours, and the cells of
// each solver.
inline ek::Halo connect(const ek::Communicator& ranks, const ek::Domains& domains, Cells& cells) {
  const Names names = neighbours_of(cells);
  Kokkos::realloc(cells.neighbours, cells.extent());
  ek::LocalIds(cells.id, cells.owned).write_indices(names, cells.neighbours);
  const auto foreign = foreign_of(names, cells.neighbours);
  const ek::IdDirectory directory(ranks, cells.id, cells.owned);
  ek::Halo halo = ek::Halo::around_ids(ranks, domains, directory, foreign, cells.owned);
  halo.make_room(ek::set(cells.x, ek::carry(cells.id, cells.solvers, cells.flow, cells.integral),
                         {.count = &cells.owned}));
  halo.exchange(ek::carry(cells.id, cells.solvers));
  ek::LocalIds(cells.id, halo.owned() + halo.ghosts()).write_indices(names, cells.neighbours);

  Kokkos::realloc(cells.new_flow, cells.flow.extent(0));
  Kokkos::realloc(cells.new_integral, cells.integral.extent(0));
  Kokkos::realloc(cells.heat, cells.extent());
  Kokkos::realloc(cells.source, cells.extent());
  cells.flow_cells = cells_of(cells, flow_solver);
  cells.sound_cells = cells_of(cells, sound_solver);
  return halo;
}

inline std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

// The result: a checksum of every bit that both solvers have computed, and the greatest pressure of
// the sound over the pressure of the gas at rest.
struct Result {
  std::uint64_t checksum = 0;
  double loudest = 0;
};
inline Result result_of(const ek::Communicator& ranks, const Cells& cells) {
  const Kokkos::HostSpace host;
  const auto id = Kokkos::create_mirror_view_and_copy(host, cells.id);
  const auto flow = Kokkos::create_mirror_view_and_copy(host, cells.flow);
  const auto sound = Kokkos::create_mirror_view_and_copy(host, cells.sound);
  Result mine;
  for (std::int64_t i = 0; i < cells.owned; ++i) {
    std::uint64_t bits = scramble(static_cast<std::uint64_t>(id(i)) + 1);
    for (int v = 0; v < flow_values; ++v)
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(flow(i, v)));
    for (int m = 0; m < waves; ++m)
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(sound(i, m)));
    mine.checksum += bits;
    for (int n = 0; n < nodes; ++n)
      mine.loudest = std::max(mine.loudest, heat_ratio * std::fabs(sound(i, n)));
  }
  return {ranks.all_reduce(mine.checksum, ek::Reduction::sum),
          ranks.all_reduce(mine.loudest, ek::Reduction::greatest)};
}
