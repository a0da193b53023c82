#include "domains/kuhn/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

namespace {

LatticeBox box_around(const MeshVertices& mesh, int part, const std::array<double, 3>& last) {
  constexpr double far = std::numeric_limits<double>::infinity();
  LatticeBox box{{far, far, far}, {-far, -far, -far}};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const MeshVertex at = mesh.place_of(mesh.shape.at(part), corner);
    for (std::size_t d = 0; d < 3; ++d) {
      box.first[d] = std::min<double>(box.first[d], at[d]);
      box.last[d] = std::max<double>(box.last[d], at[d]);
    }
  }
  bool is_empty = false;
  for (std::size_t d = 0; d < 3; ++d) {
    box.last[d] = std::min(box.last[d], last[d]);
    is_empty = is_empty || box.last[d] < box.first[d];
  }
  return is_empty ? LatticeBox{{far, far, far}, {-far, -far, -far}} : box;
}

double area_of(const MeshVertex& a, const MeshVertex& b, const MeshVertex& c) {
  std::array<double, 3> u = {}, v = {};
  for (std::size_t d = 0; d < 3; ++d) {
    u[d] = b[d] - a[d];
    v[d] = c[d] - a[d];
  }
  return std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0]) /
         2;
}

// The area of the face of a hexahedron on one side along an axis.
double area_of_face(const MeshVertices& mesh, const GridPlace& part, int axis, bool is_upper) {
  double area = 0;
  const unsigned side = is_upper ? 1U << static_cast<unsigned>(axis) : 0;
  const auto corner = [&](unsigned bits) { return mesh.place_of(part, side | bits); };
  const unsigned one = 1U << static_cast<unsigned>((axis + 1) % 3);
  const unsigned other = 1U << static_cast<unsigned>((axis + 2) % 3);
  for (const unsigned middle : {one, other})
    area += area_of(corner(0), corner(middle), corner(one | other));
  return area;
}

}  // namespace

MeshShapes::MeshShapes(const Lattice& lattice, const MeshVertices& mesh)
    : lattice_(lattice), cells_(mesh, last_cell_of(lattice)) {
  for (int part = 0; part < mesh.shape.parts(); ++part)
    boxes_.push_back(box_around(mesh, part, last_cell_of(lattice)));
}

std::vector<std::pair<int, double>> touching(const MeshVertices& mesh,
                                             const std::array<bool, 3>& periodic, int part) {
  std::vector<std::pair<int, double>> found;
  const GridPlace at = mesh.shape.at(part);
  for (int way = 0; way < 27; ++way) {
    GridPlace other = at;
    const GridPlace steps = {way / 9 - 1, way / 3 % 3 - 1, way % 3 - 1};
    int axis = -1, axes = 0;
    bool is_inside = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const int extent = mesh.shape.extents[d];
      if (steps[d] == 0) continue;
      axis = static_cast<int>(d);
      ++axes;
      other[d] += steps[d];
      if (periodic[d]) other[d] = (other[d] + extent) % extent;
      is_inside = is_inside && other[d] >= 0 && other[d] < extent;
    }
    if (axes == 0 || !is_inside) continue;
    const double area =
        axes == 1 ? area_of_face(mesh, at, axis, steps[static_cast<std::size_t>(axis)] > 0) : 0;
    found.emplace_back(mesh.shape.part_at(other), area);
  }
  return found;
}

}  // namespace evenkeel
