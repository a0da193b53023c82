#pragma once

// The vertices of a mesh of hexahedra.

#include <evenkeel/backends/config.hpp>

#include <array>
#include <cstdint>

namespace evenkeel::stages {

// The place of a vertex: the lower corner of a cell of a lattice through the box, with
// `mesh_levels` levels. So it is the same on every machine.
using MeshVertex = std::array<std::int32_t, 3>;

// The longest side of the box has 2^mesh_levels cells. With these, 64 bits hold the volume of each
// tetrahedron exactly.
inline constexpr int mesh_levels = 20;

}  // namespace evenkeel::stages
