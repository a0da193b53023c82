#pragma once

// A mesh from which the search begins.

#include "domains/kuhn/solve.hpp"

namespace evenkeel {

// Points with weights, at cells of a lattice.
struct MeshPoint {
  std::array<std::int32_t, 3> cell = {};
  std::int64_t units = 0;
};

// The axes in the order in which the starts of a mesh divide them.
std::vector<KuhnPath> orders_of_axes(int dimensions);

// A mesh whose planes across the first axis divide all points evenly. The lines across the second
// axis in each plane divide the points near the plane, and the vertices on each line divide the
// points near the line. The matrix of the edges of a tetrahedron is triangular, so no
// tetrahedron is inverted.
std::vector<MeshVertex> triangular_mesh(const MeshFrame& frame, std::span<const MeshPoint> points,
                                        const KuhnPath& axes);

}  // namespace evenkeel
