#pragma once

// Delaunay triangulations in two and three dimensions, of points on a lattice of whole numbers.
//
// Points are inserted one by one (A. Bowyer, D. Watson, 1981): all simplices with the new point
// strictly inside their circumsphere give way to a star around it. They are inserted in rounds of
// doubling size, along a Hilbert curve within each (N. Amenta, S. Choi, G. Rote, 2003), so that the
// walk to the next point is short and no star is large for long. Predicates are computed in double
// with a bound of their error (J. Shewchuk, 1997), and else in whole numbers of 128 bits, exactly.
// Hence nothing can go wrong where points lie on a common sphere or plane: strictly inside the
// sphere and exactly in the plane of a facet is strictly inside the sphere on its other side too.
//
// All points lie in one great simplex whose corners belong to the triangulation.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::bench::graphs {

// Exactness needs 4 and 5 factors of so many bits, and some for sums, in 127.
template <int n>
inline constexpr int lattice_bits = n == 2 ? 28 : 23;

// Points must lie strictly between 0 and this along each axis.
template <int n>
inline constexpr double lattice_end = static_cast<double>((1 << lattice_bits<n>) / n);

template <int n>
using LatticePoint = std::array<double, n>;  // whole numbers

template <int n>
struct Simplex {
  std::array<std::int32_t, n + 1> corners;     // positively oriented
  std::array<std::int32_t, n + 1> neighbours;  // opposite to each corner; negative: none
};

// Corners are numbers of points; those from points.size() on are corners of the great simplex. A
// point that repeats another is in no simplex.
template <int n>
std::vector<Simplex<n>> delaunay(std::span<const LatticePoint<n>> points);

// Fails unless simplices are positively oriented, agree on who is next to whom, fill the great
// simplex exactly and obey Euler's formula.
template <int n>
void check_triangulation(std::span<const LatticePoint<n>> points,
                         std::span<const Simplex<n>> simplices);

// Triangulates points that repeat each other, lie on lines, planes, circles, spheres or a grid.
void check_degenerate_triangulations();

}  // namespace evenkeel::bench::graphs
