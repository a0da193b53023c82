#pragma once

// Lists of neighbours (Verlet, Phys. Rev. 159, 1967): for each owned bead, all beads within the
// range of forces plus a skin.
//
// Lists stay valid for some steps. Since they were made, all lengths have shrunk with the drop, by
// a factor s. If no bead has moved farther than w in addition, two beads that were farther apart
// than the reach of lists are still farther apart than s reach - 2 w.

#include "cells.hpp"
#include "interaction.hpp"

struct Neighbours {
  // Row i has the indices of count(i) beads, owned or ghosts. Strands join bead i to the first
  // joined(i) of these. A row has room for one entry more than it may hold.
  Kokkos::View<int**> near;
  Kokkos::View<int*> count, joined;
  Vectors made_at;           // the places of owned beads when the lists were made
  double made_at_scale = 1;  // the length of the drop at that time

  // `scale` is the present length of the drop. `farthest` is the greatest distance that a bead of
  // any rank has moved.
  bool are_old(double scale, double farthest) const {
    return scale / made_at_scale * interaction::reach - 2 * farthest <= interaction::range;
  }
};

namespace neighbours {

// Writes row i. Returns the number of its neighbours, which may exceed the room of the row.
KOKKOS_INLINE_FUNCTION int find_near(const Vectors& x, const Cells& in_cells,
                                     const Neighbours& into, std::int64_t i) {
  const double here[3] = {x(i, 0), x(i, 1), x(i, 2)};
  int from[3], to[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int at = in_cells.at(x, i, axis);
    from[axis] = at > 0 ? at - 1 : 0;
    to[axis] = at + 1 < in_cells.count[axis] ? at + 1 : at;
  }
  const int room = static_cast<int>(into.near.extent(1)) - 1;
  int found = 0;
  for (int cz = from[2]; cz <= to[2]; ++cz)
    for (int cy = from[1]; cy <= to[1]; ++cy) {
      // The members of a row of cells are adjacent.
      const std::int64_t end = in_cells.first(in_cells.number(to[0], cy, cz) + 1);
      for (std::int64_t k = in_cells.first(in_cells.number(from[0], cy, cz)); k < end; ++k) {
        const std::int64_t j = in_cells.members(k);
        const double d[3] = {here[0] - x(j, 0), here[1] - x(j, 1), here[2] - x(j, 2)};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        // Writes j in any case, and counts it only if it is near: no processor could predict a
        // branch.
        into.near(i, found < room ? found : room) = static_cast<int>(j);
        found += static_cast<int>(square < interaction::reach * interaction::reach) &
                 static_cast<int>(j != i);
      }
    }
  return found;
}

// Moves the beads to which bead i has strands to the front of its row. Returns their number.
KOKKOS_INLINE_FUNCTION int put_joined_first(const Numbers& id, const Network& network,
                                            const Neighbours& lists, std::int64_t i) {
  int joined = 0;
  for (int k = 0; k < lists.count(i); ++k) {
    const int j = lists.near(i, k);
    if (!network.are_joined(id(i), id(j))) continue;
    lists.near(i, k) = lists.near(i, joined);
    lists.near(i, joined++) = j;
  }
  return joined;
}

// Writes the rows. Returns the number of neighbours in the longest row, which may exceed the room
// of a row.
inline int fill(const Beads& beads, const Network& network, const Cells& in_cells,
                const Neighbours& into) {
  const Vectors x = beads.x;
  const Numbers id = beads.id;
  int longest = 0;
  Kokkos::parallel_reduce(
      "neighbours", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, int& most) {
        const int room = static_cast<int>(into.near.extent(1)) - 1;
        const int found = find_near(x, in_cells, into, i);
        into.count(i) = found < room ? found : room;
        into.joined(i) = put_joined_first(id, network, into, i);
        most = found > most ? found : most;
      },
      Kokkos::Max<int>(longest));
  return std::max(0, longest);  // 0 if there are no beads
}

}  // namespace neighbours

// Makes room for rows of this many entries. Keeps memory that is large enough.
inline void make_room(std::size_t rows, std::size_t entries, Neighbours& lists) {
  if (lists.near.extent(0) >= rows && lists.near.extent(1) > entries) return;
  lists.near = {};
  lists.near = Kokkos::View<int**>(Kokkos::view_alloc("near", Kokkos::WithoutInitializing),
                                   rows + rows / 4, entries + 1);
}

// The length of all lists together.
inline double count_of(const Neighbours& lists) {
  const Kokkos::View<int*> count = lists.count;
  double sum = 0;
  Kokkos::parallel_reduce(
      "count", count.extent(0), KOKKOS_LAMBDA(std::int64_t i, double& all) { all += count(i); },
      sum);
  return sum;
}

// The greatest distance that a bead has moved since the lists were made, apart from the shrinking
// of all lengths.
inline double farthest_way(const Beads& beads, const Neighbours& lists, double scale) {
  const Vectors x = beads.x, made_at = lists.made_at;
  const double shrunk_by = scale / lists.made_at_scale;
  double most = 0;
  Kokkos::parallel_reduce(
      "farthest_way", beads.owned,
      KOKKOS_LAMBDA(std::int64_t i, double& farthest) {
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
          const double way = x(i, axis) - shrunk_by * made_at(i, axis);
          square += way * way;
        }
        farthest = square > farthest ? square : farthest;
      },
      Kokkos::Max<double>(most));
  return std::sqrt(std::max(0.0, most));  // 0 if there are no beads
}

// Makes new lists, and sets the costs of beads from them. The ghosts must be up to date.
inline void find_neighbours(Beads& beads, std::int64_t ghosts, const Network& network, double scale,
                            Neighbours& lists) {
  const auto owned = static_cast<std::size_t>(beads.owned);
  const Cells in_cells = sort_into_cells(beads.x, beads.owned + ghosts, interaction::reach);
  Kokkos::realloc(lists.count, owned);
  Kokkos::realloc(lists.joined, owned);
  Kokkos::realloc(lists.made_at, owned);
  Kokkos::realloc(beads.force, owned);
  std::size_t longest = std::max<std::size_t>(lists.near.extent(1), 32) - 1, room = 0;
  while (longest > room) {
    room = longest + longest / 4 * (room > 0 ? 1 : 0);
    make_room(owned, room, lists);
    longest = static_cast<std::size_t>(neighbours::fill(beads, network, in_cells, lists));
  }
  lists.made_at_scale = scale;
  const Beads of = beads;
  const Neighbours made = lists;
  Kokkos::parallel_for(
      "costs", beads.owned, KOKKOS_LAMBDA(std::int64_t i) {
        of.cost(i) = Beads::cost_besides + made.count(i);
        for (int axis = 0; axis < 3; ++axis) made.made_at(i, axis) = of.x(i, axis);
      });
  Kokkos::fence();
}
