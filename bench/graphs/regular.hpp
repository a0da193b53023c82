#pragma once

// Regular graphs, in which all edges weigh the same, and in which many moves gain equally much.
// Vertices are numbered row by row.
//
//   points5, points9   a square of points, with the neighbours on axes, or also on diagonals
//   points7, points27  the same in a cube
//   triangles          the corners of triangles in a square
//   hole               hexahedra in a cube with a round hole
//   torus              the squares of a torus
//   kuhn               tetrahedra in a cube: six in each hexahedron
//
// Constants of the library were chosen with the first half, and never with the second half.

#include "graph.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace evenkeel::bench::graphs {

inline constexpr std::array chosen_with = {"points5", "points7", "triangles", "hole"};
inline constexpr std::array set_apart = {"points9", "points27", "torus", "kuhn"};

// With a `scale` of 1, a graph has about 360,000 vertices. Returns nothing if the name is unknown.
std::optional<Graph> regular(std::string_view name, double scale);

}  // namespace evenkeel::bench::graphs
