#pragma once

// Lists of neighbours (Verlet, Phys. Rev. 159, 1967): of each owned bead, all that are within the
// range of forces and a skin. They hold until some bead has gone half the skin.

#include "cells.hpp"
#include "interaction.hpp"

struct Neighbours {
  static constexpr double skin = 0.4;
  static constexpr double reach = interaction::range + skin;

  // Row i: indices, owned or ghosts. Who is joined to i is there as -1 - index.
  Kokkos::View<int**> near;
  Kokkos::View<int*> count;
  Vectors made_at;  // where owned beads were

  KOKKOS_INLINE_FUNCTION static int index_of(int entry) { return entry < 0 ? -1 - entry : entry; }
};

namespace neighbours {

// Writes the rows. Returns the length of the longest, which may be more than rows have room for.
inline int fill(const Beads& beads, const Network& network, const Cells& in_cells,
                const Neighbours& into) {
  const Vectors x = beads.x;
  const Numbers id = beads.id;
  int longest = 0;
  Kokkos::parallel_reduce(
      "neighbours", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, int& most) {
        const double here[3] = {x(i, 0), x(i, 1), x(i, 2)};
        int from[3], to[3];
        for (int axis = 0; axis < 3; ++axis) {
          const int at = in_cells.at(x, i, axis);
          from[axis] = at > 0 ? at - 1 : 0;
          to[axis] = at + 1 < in_cells.count[axis] ? at + 1 : at;
        }
        const int room = static_cast<int>(into.near.extent(1));
        int found = 0;
        for (int cz = from[2]; cz <= to[2]; ++cz)
          for (int cy = from[1]; cy <= to[1]; ++cy) {
            // Cells of a row stand one after the other.
            const std::int64_t end = in_cells.first(in_cells.number(to[0], cy, cz) + 1);
            for (std::int64_t k = in_cells.first(in_cells.number(from[0], cy, cz)); k < end; ++k) {
              const std::int64_t j = in_cells.members(k);
              const double d[3] = {here[0] - x(j, 0), here[1] - x(j, 1), here[2] - x(j, 2)};
              const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
              if (square >= Neighbours::reach * Neighbours::reach || j == i) continue;
              const int index = static_cast<int>(j);
              if (found < room)
                into.near(i, found) = network.are_joined(id(i), id(j)) ? -1 - index : index;
              ++found;
            }
          }
        into.count(i) = found < room ? found : room;
        most = found > most ? found : most;
      },
      Kokkos::Max<int>(longest));
  return std::max(0, longest);  // of no beads at all: 0
}

}  // namespace neighbours

// Makes the lists anew, and says what each bead costs by them. Ghosts are known. Memory is kept
// from one call to the next.
inline void find_neighbours(Beads& beads, std::int64_t ghosts, const Network& network,
                            Neighbours& lists) {
  const auto owned = static_cast<std::size_t>(beads.owned);
  const Cells in_cells = sort_into_cells(beads.x, beads.owned + ghosts, Neighbours::reach);
  std::size_t room = std::max<std::size_t>(lists.near.extent(1), 16);
  const auto make_room = [&] {
    if (lists.near.extent(0) >= owned && lists.near.extent(1) >= room) return;
    lists.near = {};
    lists.near = Kokkos::View<int**>(Kokkos::view_alloc("near", Kokkos::WithoutInitializing),
                                     owned + owned / 4, room);
  };
  make_room();
  Kokkos::realloc(lists.count, owned);
  Kokkos::realloc(lists.made_at, owned);
  Kokkos::realloc(beads.force, owned);
  for (;;) {
    const auto longest =
        static_cast<std::size_t>(neighbours::fill(beads, network, in_cells, lists));
    if (longest <= room) break;
    room = longest + longest / 4;
    make_room();
  }
  const Beads of = beads;
  const Neighbours made = lists;
  Kokkos::parallel_for(
      "costs", beads.owned, KOKKOS_LAMBDA(std::int64_t i) {
        of.cost(i) = Beads::cost_besides + made.count(i);
        for (int axis = 0; axis < 3; ++axis) made.made_at(i, axis) = of.x(i, axis);
      });
  Kokkos::fence();
}
