#pragma once

// Graphs to partition. For the same seed, each is the same on every machine.
//
//   tri2d    triangles between random points in a square
//   ring2d   triangles in a ring
//   aniso2d  triangles in a layer along a wall, of equal length: far from the wall they are 400
//            times as high as next to it
//   tet3d    tetrahedra between random points in a cube
//   shell3d  tetrahedra in a spherical shell
//   rgg      random points in a square, joined if they are near; about 12 neighbours each
//   rmat     a few vertices with very many neighbours (D. Chakrabarti, Y. Zhan, C. Faloutsos, 2004)
//
// The first five are dual graphs of Delaunay triangulations: a vertex per triangle or tetrahedron,
// at its centroid, and an edge per shared side or face. The last two have no positions. There are
// also the regular graphs of regular.hpp.

#include "graph.hpp"

#include <optional>
#include <string_view>

namespace evenkeel::bench::graphs {

// With a `scale` of 1, a graph has a million triangles, 670,000 tetrahedra, 300,000 random points,
// or about 77,000 vertices of rmat. Vertices with positions are numbered along a Hilbert curve,
// others at random. The graph is checked. Returns nothing if the name is unknown.
std::optional<Graph> generate(std::string_view name, double scale, std::uint64_t seed);

}  // namespace evenkeel::bench::graphs
