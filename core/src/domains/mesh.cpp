#include "domains/checks.hpp"
#include "domains/kuhn/on_space.hpp"
#include "domains/kuhn/shapes.hpp"
#include "domains/overlapping.hpp"
#include "domains/stage.hpp"

#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/mesh.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

std::string name_of_vertex(const GridPlace& at) {
  return "Vertex (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
         std::to_string(at[2]) + ')';
}

// Vertices at the faces of the box are in these faces; others are between them.
void check_vertex(const MeshVertices& mesh, const Lattice& lattice, const GridPlace& at) {
  const GridShape grid = MeshVertices::grid_of(mesh.shape);
  const MeshVertex& place = mesh.at[static_cast<std::size_t>(grid.part_at(at))];
  for (std::size_t d = 0; d < 3; ++d) {
    const bool is_used = static_cast<int>(d) < mesh.shape.dimensions;
    const std::int32_t upper = is_used ? mesh.at.back()[d] : 0;
    const bool is_first = at[d] == 0, is_last = is_used && at[d] == mesh.shape.extents[d];
    if (is_used && is_last &&
        (upper <= std::int64_t{lattice.last_coordinate(static_cast<int>(d))} ||
         upper > 1 << mesh_levels))
      refuse(name_of_vertex(at) + " has coordinate " + std::to_string(place[d]) + " along axis " +
                 std::to_string(d) + ", but the cells of the box are 0 to " +
                 std::to_string(lattice.last_coordinate(static_cast<int>(d))) + '.',
             "Give the upper face the number after the last cell, or one up to 1048576.");
    if (place[d] < 0 || place[d] > upper || (is_first && place[d] != 0) ||
        (is_last && place[d] != upper))
      refuse(name_of_vertex(at) + " has coordinate " + std::to_string(place[d]) + " along axis " +
                 std::to_string(d) + ", where the box extends from 0 to " + std::to_string(upper) +
                 '.',
             "Keep vertices in the box, and those of its faces in these faces.");
  }
}

const GridShape& checked(const GridShape& shape) {
  check(shape);
  return shape;
}

void check_vertices(const MeshVertices& mesh, const Lattice& lattice,
                    const std::array<bool, 3>& periodic) {
  const GridShape grid = MeshVertices::grid_of(mesh.shape);
  if (std::ssize(mesh.at) != grid.parts())
    refuse("A mesh of " + std::to_string(mesh.shape.parts()) + " domains has " +
               std::to_string(grid.parts()) + " vertices, but " + std::to_string(mesh.at.size()) +
               " were given.",
           "Give a vertex for each corner.");
  for (int vertex = 0; vertex < grid.parts(); ++vertex) {
    const GridPlace at = grid.at(vertex);
    check_vertex(mesh, lattice, at);
    for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.shape.dimensions); ++d) {
      if (!periodic[d] || at[d] != mesh.shape.extents[d]) continue;
      GridPlace opposite = at;
      opposite[d] = 0;
      MeshVertex its = mesh.at[static_cast<std::size_t>(grid.part_at(opposite))];
      its[d] = mesh.at[static_cast<std::size_t>(vertex)][d];
      if (its != mesh.at[static_cast<std::size_t>(vertex)])
        refuse(name_of_vertex(at) + " is not opposite to " + name_of_vertex(opposite) +
                   ", but axis " + std::to_string(d) + " is periodic.",
               "Give both the same coordinates along the other axes.");
    }
  }
  for (int part = 0; part < mesh.shape.parts(); ++part)
    for (const KuhnPath& path : kuhn_paths)
      if (volume_of(mesh, mesh.shape.at(part), path) <= 0)
        refuse("A tetrahedron of domain " + std::to_string(part) + " is inverted or flat.",
               "Move its vertices less.");
}

}  // namespace

MeshDomains::MeshDomains(std::int64_t generation, const GridShape& shape, const Box& box,
                         const std::array<bool, 3>& periodic, std::vector<MeshVertex> vertices,
                         std::vector<int> rank_of_part)
    : Decomposition(generation, checked(shape).parts(), shape.dimensions, box, periodic,
                    std::move(rank_of_part)),
      shape_(shape),
      vertices_(std::move(vertices)) {
  if (shape.dimensions != 2 && shape.dimensions != 3)
    refuse("A mesh in " + std::to_string(shape.dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
  check_axes(shape.dimensions, box, periodic);
  const Lattice lattice = mesh_lattice(shape.dimensions, box, periodic);
  check_vertices({shape_, vertices_}, lattice, periodic);
  check_ranks(stage_name, parts(), this->rank_of_part());
  shapes_ = std::make_shared<MeshShapes>(lattice, MeshVertices{shape_, vertices_});
}

std::array<double, 3> MeshDomains::place_of(const std::array<int, 3>& vertex) const {
  const GridShape grid = MeshVertices::grid_of(shape_);
  for (std::size_t d = 0; d < 3; ++d)
    if (vertex[d] < 0 || vertex[d] >= grid.extents[d])
      refuse(name_of_vertex(vertex) + " was asked for, but the last one is (" +
                 std::to_string(grid.extents[0] - 1) + ", " + std::to_string(grid.extents[1] - 1) +
                 ", " + std::to_string(grid.extents[2] - 1) + ").",
             "Ask for a vertex of the mesh.");
  const MeshVertex& at = vertices_[static_cast<std::size_t>(grid.part_at(vertex))];
  std::array<double, 3> place = {};
  for (int axis = 0; axis < dimensions(); ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    // the faces of the box are the same to the last bit
    const bool is_upper = at[d] > std::int64_t{shapes_->lattice().last_coordinate(axis)};
    place[d] = at[d] == 0 ? box().lower[d]
               : is_upper ? box().upper[d]
                          : shapes_->lattice().face(axis, static_cast<std::uint32_t>(at[d]));
  }
  return place;
}

Box MeshDomains::box_of(int part) const {
  check_part(stage_name, parts(), part);
  return box_of_cells(box(), shapes_->lattice(), shapes_->box_of(part));
}

std::vector<Box> MeshDomains::boxes_of(int part) const {
  check_part(stage_name, parts(), part);
  if (shapes_->box_of(part).last[0] < shapes_->box_of(part).first[0]) return {};
  return {box_of(part)};
}

std::vector<std::pair<int, double>> MeshDomains::touching(int part) const {
  check_part(stage_name, parts(), part);
  if (boxes_of(part).empty()) return {};
  std::vector<std::pair<int, double>> found =
      evenkeel::touching({shape_, vertices_}, periodic(), part);
  std::sort(found.begin(), found.end());
  const double unit = unit_of_area(shapes_->lattice());
  std::vector<std::pair<int, double>> sums;
  for (const auto& [other, area] : found) {
    const LatticeBox its = shapes_->box_of(other);
    if (other == part || its.last[0] < its.first[0]) continue;
    if (sums.empty() || sums.back().first != other) sums.emplace_back(other, 0);
    if (area > 0) sums.back().second += area * unit;  // the unit may be infinite
  }
  return sums;
}

std::vector<DomainShape> MeshDomains::shapes_of(int part) const {
  check_part(stage_name, parts(), part);
  if (boxes_of(part).empty()) return {};
  const GridPlace at = shape_.at(part);
  DomainShape shape;
  for (unsigned corner = 0; corner < 1U << static_cast<unsigned>(dimensions()); ++corner) {
    GridPlace vertex = at;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions()); ++d)
      vertex[d] += static_cast<int>(corner >> d & 1U);
    shape.corners.push_back(place_of(vertex));
  }
  if (dimensions() == 2) {
    shape.faces = {{0, 1, 3, 2}};
    return {std::move(shape)};
  }
  for (int axis = 0; axis < 3; ++axis) {
    const int side = 1 << axis, one = 1 << (axis + 1) % 3, other = 1 << (axis + 2) % 3;
    for (const int first : {0, side}) {
      const int last = first | one | other;
      shape.faces.push_back({first, first | one, last});
      shape.faces.push_back({first, last, first | other});
    }
  }
  return {std::move(shape)};
}

int MeshDomains::owner_of(std::span<const double> point) const {
  check_point(stage_name, *this, point);
  std::int64_t cell[3] = {};
  for (int axis = 0; axis < dimensions(); ++axis)
    cell[axis] = shapes_->lattice().coordinate(axis, point[static_cast<std::size_t>(axis)]);
  const MeshCells& cells = shapes_->cells();
  return rank_of(cells.tetrahedra()[static_cast<std::size_t>(cells.finder()(cell))].part);
}

bool MeshDomains::divides_as(const MeshDomains& other) const {
  return shape_ == other.shape_ && vertices_ == other.vertices_;
}

void MeshDomains::write_parts(const Space& space, const Set& set, int* parts) const {
  if (!has_objects(stage_name, space, *this, set)) return;
  const ReachedMesh mesh(space, parts_label, shapes_->cells());
  write_parts_by(space, mesh.finder(shapes_->lattice()), set, parts);
}

CellFrame MeshDomains::frame() const { return CellFrame(shapes_->lattice(), box()); }

OwnerTree MeshDomains::owner_tree(const Reaches& reaches) const {
  OwnerTree tree =
      tree_within_reach(BranchesByPart(*this, *shapes_), parts(), dimensions(), reaches);
  tree.mesh = shapes_;
  return tree;
}

std::unique_ptr<HomeTest> MeshDomains::home_test(const Space& space, int part, std::int64_t) const {
  return std::make_unique<InCell<ReachedMesh, MeshShapes>>(space, shapes_, part);
}

std::vector<int> MeshDomains::ranks_within(const Box& box, double width) const {
  check_halo(stage_name, *this, box, width);
  return ranks_of_cells_within(*this, *shapes_, frame(), box, width);
}

}  // namespace evenkeel
