#pragma once

// The shapes of the hexahedra of a mesh: the boxes around them, and the tetrahedra that show which
// of them meet a box.

#include "domains/kuhn/tetrahedra.hpp"

#include <evenkeel/core/curve.hpp>

#include <utility>

namespace evenkeel {

// The lattice of a mesh through a box.
inline Lattice mesh_lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic) {
  return {dimensions, box, periodic, CurveKind::hilbert, mesh_levels};
}
// Its last cell along each axis.
inline std::array<double, 3> last_cell_of(const Lattice& lattice) {
  std::array<double, 3> last = {};
  for (int axis = 0; axis < lattice.dimensions(); ++axis)
    last[static_cast<std::size_t>(axis)] = lattice.last_coordinate(axis);
  return last;
}

// For kernels: finds out whether hexahedra meet boxes and balls. The arrays are in memory that the
// caller can access.
struct HexahedraMeeting {
  const Tetrahedron* tetrahedra = nullptr;
  int dimensions = 0;

  // Returns true if a hexahedron may have a place in a closed box of lattice cells, and in a ball
  // if one is given. See Tetrahedron::meets().
  KOKKOS_FUNCTION bool operator()(int part, const double* lower, const double* upper,
                                  const LatticeBall* ball = nullptr) const {
    double from[3] = {}, to[3] = {};  // in two dimensions the last coordinate is 0
    for (int d = 0; d < dimensions; ++d) {
      from[d] = lower[d];
      to[d] = upper[d];
    }
    for (int i = 0; i < tetrahedra_per_part; ++i)
      if (tetrahedra[part * tetrahedra_per_part + i].meets(from, to, ball)) return true;
    return false;
  }
};

// A mesh and its shapes, on the host.
class MeshShapes {
 public:
  MeshShapes(const Lattice& lattice, const MeshVertices& mesh);

  const Lattice& lattice() const noexcept { return lattice_; }
  const MeshCells& cells() const noexcept { return cells_; }
  HexahedraMeeting meeting() const noexcept {
    return {cells_.tetrahedra().data(), lattice_.dimensions()};
  }
  // The box around the cells of a part; first is above last if the part has no cell of the box.
  LatticeBox box_of(int part) const noexcept { return boxes_[static_cast<std::size_t>(part)]; }

 private:
  Lattice lattice_;
  MeshCells cells_;
  std::vector<LatticeBox> boxes_;
};

// The parts that have a corner in common with a part, and the areas of the faces that both share,
// in squares of lattice cells. A part may occur several times. Periodic axes wrap around.
std::vector<std::pair<int, double>> touching(const MeshVertices& mesh,
                                             const std::array<bool, 3>& periodic, int part);

}  // namespace evenkeel
