#pragma once

// Cells around all beads and ghosts of a rank, with a list of the beads in each cell. Cells are at
// least as wide as the reach of a bead, so all beads in its reach are in its own cell and the 26
// cells around it.

#include "beads.hpp"

#include <algorithm>

struct Cells {
  double lower[3], width[3];
  int count[3];
  Numbers first, members;  // cell c has the members from first(c) to first(c + 1)

  KOKKOS_INLINE_FUNCTION int at(const Vectors& x, std::int64_t i, int axis) const {
    const int place = static_cast<int>((x(i, axis) - lower[axis]) / width[axis]);
    return place < 0 ? 0 : place >= count[axis] ? count[axis] - 1 : place;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t number(int x, int y, int z) const {
    return (std::int64_t{z} * count[1] + y) * count[0] + x;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t of(const Vectors& x, std::int64_t i) const {
    return number(at(x, i, 0), at(x, i, 1), at(x, i, 2));
  }
};

namespace cells {

// Spans a grid of cells over the first `beads` places.
inline Cells lay_out(const Vectors& x, std::int64_t beads, double reach) {
  Cells made;
  for (int axis = 0; axis < 3; ++axis) {
    Kokkos::MinMaxScalar<double> ends{};
    Kokkos::parallel_reduce(
        "ends", beads,
        KOKKOS_LAMBDA(std::int64_t i, Kokkos::MinMaxScalar<double> & found) {
          found.min_val = x(i, axis) < found.min_val ? x(i, axis) : found.min_val;
          found.max_val = x(i, axis) > found.max_val ? x(i, axis) : found.max_val;
        },
        Kokkos::MinMax<double>(ends));
    const double extent = beads > 0 ? ends.max_val - ends.min_val : 0;
    made.lower[axis] = beads > 0 ? ends.min_val : 0;
    made.count[axis] = std::max(1, static_cast<int>(extent / reach));
    made.width[axis] = std::max(extent, reach) / made.count[axis];
  }
  return made;
}

}  // namespace cells

// Sorts the first `beads` beads into cells, by counting sort.
inline Cells sort_into_cells(const Vectors& x, std::int64_t beads, double reach) {
  Cells made = cells::lay_out(x, beads, reach);
  const std::int64_t count = made.number(0, 0, made.count[2]);
  made.first = Numbers("first", count + 1);
  made.members = Numbers(Kokkos::view_alloc("members", Kokkos::WithoutInitializing), beads);
  const Cells sorted = made;
  Kokkos::parallel_for(
      "count", beads, KOKKOS_LAMBDA(std::int64_t i) {
        Kokkos::atomic_fetch_add(&sorted.first(sorted.of(x, i)), std::int64_t{1});
      });
  Kokkos::parallel_scan(
      "sum", count + 1, KOKKOS_LAMBDA(std::int64_t c, std::int64_t & sum, bool is_last) {
        sum += sorted.first(c);
        if (is_last) sorted.first(c) = sum;  // the end; the next loop counts down to the beginning
      });
  Kokkos::parallel_for(
      "fill", beads, KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t end =
            Kokkos::atomic_fetch_add(&sorted.first(sorted.of(x, i)), std::int64_t{-1});
        sorted.members(end - 1) = i;
      });
  return made;
}
