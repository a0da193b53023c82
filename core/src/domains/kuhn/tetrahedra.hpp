#pragma once

// The tetrahedra of a mesh of hexahedra, on host and device. Kuhn's split divides each hexahedron
// into 6 tetrahedra around the diagonal from its lowest to its highest corner. Each tetrahedron is
// a path along three edges of the hexahedron, one along each axis. Neighbours divide the face
// between them along the same diagonal, so the mesh has no gaps.
//
// In two dimensions the mesh is a layer of prisms, one cell thick, whose places have coordinate 0.

#include "domains/octree/octree.hpp"

#include <evenkeel/core/domains/grid_shape.hpp>
#include <evenkeel/core/domains/kuhn.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

using GridPlace = std::array<int, 3>;

inline constexpr int tetrahedra_per_part = 6;

// The axes along which the path of each tetrahedron goes.
using KuhnPath = std::array<int, 3>;
inline constexpr std::array<KuhnPath, tetrahedra_per_part> kuhn_paths = {
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

// The corners of a tetrahedron as bits: bit d is set on the upper side along axis d.
constexpr std::array<unsigned, 4> corners_on(const KuhnPath& path) {
  std::array<unsigned, 4> corners = {};
  for (std::size_t step = 0; step < 3; ++step)
    corners[step + 1] = corners[step] | 1U << static_cast<unsigned>(path[step]);
  return corners;
}

// The vertices of a mesh. They are numbered like the parts of a grid with one more vertex along
// each axis within the dimensions.
struct MeshVertices {
  GridShape shape;  // of the hexahedra
  std::span<const MeshVertex> at;

  // The shape of the grid of vertices.
  static GridShape grid_of(const GridShape& shape) noexcept {
    GridShape grid = shape;
    for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dimensions); ++d) ++grid.extents[d];
    return grid;
  }
  // The index of a corner of a hexahedron.
  std::size_t index_of(GridPlace part, unsigned corner) const noexcept {
    for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dimensions); ++d)
      part[d] += static_cast<int>(corner >> d & 1U);
    return static_cast<std::size_t>(grid_of(shape).part_at(part));
  }
  MeshVertex place_of(const GridPlace& part, unsigned corner) const noexcept {
    MeshVertex place = at[index_of(part, corner)];
    if (shape.dimensions == 2) place[2] = static_cast<std::int32_t>(corner >> 2U & 1U);
    return place;
  }
};

// A linear function of the cells of a lattice with integer values. It is at least 0 on one side of
// a face. The cells on the face itself belong to the side of greater coordinates, so that each cell
// belongs to one side. All values are below 2^63.
struct MeshPlane {
  std::int64_t slope[3];
  std::int64_t constant;

  KOKKOS_FUNCTION std::int64_t at(const std::int64_t* cell) const {
    // modulo 2^64, because products may be larger than their sum
    auto sum = static_cast<std::uint64_t>(constant);
    for (int d = 0; d < 3; ++d)
      sum += static_cast<std::uint64_t>(slope[d]) * static_cast<std::uint64_t>(cell[d]);
    return static_cast<std::int64_t>(sum);
  }
  // The greatest value in a closed box.
  KOKKOS_FUNCTION std::int64_t greatest(const double* lower, const double* upper) const {
    std::int64_t cell[3];
    for (int d = 0; d < 3; ++d)
      cell[d] = static_cast<std::int64_t>(slope[d] > 0 ? upper[d] : lower[d]);
    return at(cell);
  }
  // At least the greatest value at the cells of a ball. A cell is named by the corner with its
  // least coordinates, which may be up to one cell below a place of the ball.
  KOKKOS_FUNCTION double greatest(const LatticeBall& ball) const {
    double value = static_cast<double>(constant), size = value < 0 ? -value : value, square = 0;
    for (int d = 0; d < 3; ++d) {
      const auto along = static_cast<double>(slope[d]);
      const double term = along * ball.center[d], reach = along * ball.radius[d];
      value += term - (along < 0 ? along : 0);
      size += term < 0 ? -term : term;
      square += reach * reach;
    }
    constexpr double rounding = 1e-14;
    return value + std::sqrt(square) + rounding * size;
  }
};

// Face i is opposite to corner i.
struct Tetrahedron {
  MeshPlane faces[4];
  int part;

  KOKKOS_FUNCTION bool holds(const std::int64_t* cell) const {
    return faces[0].at(cell) >= 0 && faces[1].at(cell) >= 0 && faces[2].at(cell) >= 0 &&
           faces[3].at(cell) >= 0;
  }
  // Returns true if it may have a cell of a closed box, and of a ball if one is given. The answer
  // is exact for a single cell. Otherwise it is false if all these cells are behind one face.
  KOKKOS_FUNCTION bool meets(const double* lower, const double* upper,
                             const LatticeBall* ball = nullptr) const {
    for (const MeshPlane& face : faces)
      if (face.greatest(lower, upper) < 0 || (ball != nullptr && face.greatest(*ball) < 0))
        return false;
    return true;
  }
};

// 6 times the volume of the tetrahedron of a path; it is above 0 unless it is inverted.
std::int64_t volume_of(const MeshVertices& mesh, const GridPlace& part, const KuhnPath& path);

// All tetrahedra, in the order of their parts.
std::vector<Tetrahedron> tetrahedra_of(const MeshVertices& mesh);

// Finds the tetrahedron of a cell. The arrays are in memory that the caller can access.
struct TetrahedronOfCell {
  OctreeLeaves leaves;
  const Tetrahedron* tetrahedra;

  KOKKOS_FUNCTION int operator()(const std::int64_t* cell) const {
    const double place[3] = {static_cast<double>(cell[0]), static_cast<double>(cell[1]),
                             static_cast<double>(cell[2])};
    const OctreeNode& leaf = leaves.at(place);
    // A cell belongs to one tetrahedron: if not to the others, to the last one.
    int i = leaf.first;
    for (const int last = leaf.first + leaf.count - 1; i < last; ++i)
      if (tetrahedra[leaves.list[i]].holds(cell)) break;
    return leaves.list[i];
  }
};

// The mesh of a lattice as an octree of its tetrahedra, on the host.
class MeshCells {
 public:
  // `last` is the last cell of the lattice along each axis.
  MeshCells(const MeshVertices& mesh, const std::array<double, 3>& last);

  const std::vector<Tetrahedron>& tetrahedra() const noexcept { return tetrahedra_; }
  const Octree& octree() const noexcept { return octree_; }
  TetrahedronOfCell finder() const noexcept { return {octree_.leaves(), tetrahedra_.data()}; }

 private:
  std::vector<Tetrahedron> tetrahedra_;
  Octree octree_;
};

}  // namespace evenkeel
