#pragma once

// Domains that are the hexahedra of a mesh, as a value. Each rank can find the owner of any place.
// This header does not include Kokkos.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/domains/grid_shape.hpp>
#include <evenkeel/core/domains/kuhn.hpp>
#include <evenkeel/core/field/set.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

class MeshShapes;

// Domains that are the hexahedra of a mesh, or the quadrilaterals of one in 2 dimensions. They are
// numbered like those of a grid (GridShape), and those on both sides of a face are neighbours in
// the grid. Each hexahedron is the union of 6 tetrahedra around the diagonal from its lowest to its
// highest corner, so its faces are pairs of triangles.
class EVENKEEL_API MeshDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

  // No domains yet: generation 0, without parts.
  MeshDomains() = default;
  // The vertices are numbered like the domains of a grid with one more domain along each axis.
  // Vertices at the faces of the box stay in these faces: their coordinate is 0 at the lower face,
  // and at the upper face the same number, beyond the last cell of the lattice. Vertices at both
  // ends of a periodic axis have the same other coordinates. Throws an Error if vertices are
  // elsewhere, if a tetrahedron is inverted, or if the box or the ranks are invalid.
  MeshDomains(std::int64_t generation, const GridShape& shape, const Box& box,
              const std::array<bool, 3>& periodic, std::vector<stages::MeshVertex> vertices,
              std::vector<int> rank_of_part = {});

  const GridShape& shape() const noexcept { return shape_; }
  const std::vector<stages::MeshVertex>& vertices() const noexcept { return vertices_; }
  // The place of a vertex; (i, j, k) is the lowest corner of domain (i, j, k).
  std::array<double, 3> place_of(const std::array<int, 3>& vertex) const;

  // A box around the domain of a part, which other domains overlap.
  Box box_of(int part) const;
  // That box, or nothing if the domain has no place of the box.
  std::vector<Box> boxes_of(int part) const;

  // The parts whose domains touch the domain of a part, up to 26, and the area of the faces that
  // both share (their length in two dimensions). It is 0 if they touch only at edges or corners.
  // Periodic axes wrap around.
  std::vector<std::pair<int, double>> touching(int part) const;

  // The domain of a part as a polyhedron of 12 triangles, for pictures, or a quadrilateral in two
  // dimensions.
  std::vector<DomainShape> shapes_of(int part) const;

  // GridDomains explains these.
  int owner_of(std::span<const double> point) const;
  void write_parts(const Space& space, const Set& set, int* parts) const;
  std::vector<int> ranks_within(const Box& box, double width) const;

  // Returns true if the other domains have the same vertices.
  bool divides_as(const MeshDomains& other) const;

  // See decomposition.hpp.
  CellFrame frame() const;
  OwnerTree owner_tree(const detail::Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  GridShape shape_;
  std::vector<stages::MeshVertex> vertices_;
  std::shared_ptr<const MeshShapes> shapes_;  // the same for all copies
};

}  // namespace evenkeel
