#pragma once

// Delaunay triangulations in two and three dimensions, of points on a lattice of whole numbers.
//
// Points are inserted one by one (A. Bowyer, D. Watson, 1981): a star around the new point replaces
// all simplices with this point strictly inside their circumsphere. Points are inserted in rounds
// of doubling size, along a Hilbert curve within each round (N. Amenta, S. Choi, G. Rote, 2003), so
// that the walk to the next point is short and no star is large for long. Predicates are computed
// in double with a bound of their error (J. Shewchuk, 1997), and if that is not enough, exactly in
// whole numbers of 128 bits. Hence points on a common sphere or plane are no problem: a point that
// is strictly inside the sphere and exactly in the plane of a facet is also strictly inside the
// sphere on the other side of the facet.
//
// All points are in one great simplex whose corners belong to the triangulation.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::bench::graphs {

// Exact predicates multiply up to 4 (n = 2) or 5 (n = 3) factors of this many bits. With some bits
// for sums, they fit in 127 bits.
template <int n>
inline constexpr int lattice_bits = n == 2 ? 28 : 23;

// Points must be strictly between 0 and this number along each axis.
template <int n>
inline constexpr double lattice_end = static_cast<double>((1 << lattice_bits<n>) / n);

template <int n>
using LatticePoint = std::array<double, n>;  // whole numbers

template <int n>
struct Simplex {
  std::array<std::int32_t, n + 1> corners;     // positively oriented
  std::array<std::int32_t, n + 1> neighbours;  // opposite to each corner; negative if missing
};

// Corners are numbers of points. Numbers from points.size() on are corners of the great simplex. A
// point that repeats another one is in no simplex. Ends the program unless the simplices fill the
// great simplex.
template <int n>
std::vector<Simplex<n>> delaunay(std::span<const LatticePoint<n>> points);

}  // namespace evenkeel::bench::graphs
