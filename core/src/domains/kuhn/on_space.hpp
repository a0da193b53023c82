#pragma once

// A mesh in memory that a space can access.

#include "domains/kuhn/tetrahedra.hpp"
#include "domains/octree/on_space.hpp"

#include <evenkeel/core/curve.hpp>

namespace evenkeel {

// Finds the part of a place, for kernels.
struct HexahedronOfPlace {
  static constexpr int together = 1;
  Lattice lattice;
  TetrahedronOfCell tetrahedron;

  // place(axis) returns the coordinates of a point.
  template <class Place>
  KOKKOS_FUNCTION void write_cell(const Place& place, std::int64_t* cell) const {
    for (int axis = 0; axis < 3; ++axis)
      cell[axis] = axis < lattice.dimensions() ? lattice.coordinate(axis, place(axis)) : 0;
  }
  // place(i, axis) returns the coordinate of point i.
  template <int count, class Place>
  KOKKOS_FUNCTION void find(const Place& place, int* parts) const {
    for (int i = 0; i < count; ++i) {
      std::int64_t cell[3];
      write_cell([&](int axis) { return place(i, axis); }, cell);
      parts[i] = tetrahedron.tetrahedra[tetrahedron(cell)].part;
    }
  }
};

// The arrays of a mesh. They may be those of the mesh itself, which must stay valid.
struct ReachedMesh {
  ReachedOctree octree;
  exec::Reached<Tetrahedron> tetrahedra;

  ReachedMesh(const Space& space, const char* label, const MeshCells& cells)
      : octree(space, label, cells.octree()), tetrahedra(space, label, cells.tetrahedra()) {}
  HexahedronOfPlace finder(const Lattice& lattice) const {
    return {lattice, {octree.leaves(), tetrahedra.data()}};
  }
};

}  // namespace evenkeel
