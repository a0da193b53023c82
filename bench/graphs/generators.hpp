#pragma once

// Graphs to partition, each the same for the same seed on every machine.
//
//   tri2d    triangles between random points in a square
//   ring2d   triangles in a ring
//   aniso2d  triangles in a layer along a wall: 400 times as high far from it as next to it, and
//            equally long
//   tet3d    tetrahedra between random points in a cube
//   shell3d  tetrahedra in a spherical shell
//   rgg      random points in a square, joined where they are near; about 12 neighbours each
//   rmat     a few vertices with very many neighbours (D. Chakrabarti, Y. Zhan, C. Faloutsos, 2004)
//
// The first five are dual graphs of Delaunay triangulations: a vertex per triangle or tetrahedron,
// at its centroid, and an edge per shared side or face. The last two have no positions.

#include "graph.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace evenkeel::bench::graphs {

std::span<const std::string_view> generator_names();

// With a `scale` of 1: a million triangles, 670,000 tetrahedra, 300,000 random points, or about
// 77,000 vertices of rmat. Vertices are numbered along a Hilbert curve where they have positions,
// and else at random. Checked; fails where the name is unknown.
Graph generate(std::string_view name, double scale, std::uint64_t seed);

}  // namespace evenkeel::bench::graphs
