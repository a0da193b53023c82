#pragma once

// The sums over objects that a step of the solver needs. They are integers, so that they do not
// depend on the order in which ranks and threads add.

#include "domains/kuhn/tetrahedra.hpp"

namespace evenkeel {

// For each part: the units of its objects; then, for each of its tetrahedra, for each face at the
// surface of the hexahedron, and for each of the three corners of that face in ascending order, the
// units of objects near the face, each times its share of the corner. If l(i) is the barycentric
// coordinate of corner i, an object is near the face opposite to corner i if l(i) is below
// `near_face`, and its share of corner j is l(j) / (1 - l(i)).
inline constexpr double near_face = 0.1;
inline constexpr int sums_per_part = 1 + tetrahedra_per_part * 2 * 3;

// A tetrahedron has two outer faces: face 0 is opposite to its lowest corner, face 1 to its highest
// one.
KOKKOS_INLINE_FUNCTION constexpr int corner_opposite(int outer_face) {
  return outer_face == 0 ? 0 : 3;
}
KOKKOS_INLINE_FUNCTION constexpr int first_corner(int outer_face) {
  return outer_face == 0 ? 1 : 0;
}
// The index of the first share of an outer face.
KOKKOS_INLINE_FUNCTION std::int64_t shares_at(std::int64_t tetrahedron, int outer_face) {
  const std::int64_t part = tetrahedron / tetrahedra_per_part;
  return part * sums_per_part + 1 + (tetrahedron % tetrahedra_per_part * 2 + outer_face) * 3;
}

// Calls add(index, units) for each share of an object at a cell of a tetrahedron. Nothing here
// depends on how a compiler rounds.
template <class Add>
KOKKOS_FUNCTION void for_each_share(const Tetrahedron* tetrahedra, int number,
                                    const std::int64_t* cell, std::int64_t units, const Add& add) {
  double at[4], whole = 0;
  for (int i = 0; i < 4; ++i) {
    at[i] = static_cast<double>(tetrahedra[number].faces[i].at(cell));
    whole += at[i];
  }
  for (int f = 0; f < 2; ++f) {
    const int opposite = corner_opposite(f), first = first_corner(f);
    if (!(at[opposite] < near_face * whole)) continue;
    const double face = whole - at[opposite];
    for (int i = 0; i < 3; ++i)
      add(shares_at(number, f) + i,
          static_cast<std::int64_t>(static_cast<double>(units) * (at[first + i] / face)));
  }
}

}  // namespace evenkeel
