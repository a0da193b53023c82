#include "domains/kuhn/tetrahedra.hpp"

#include <algorithm>
#include <iterator>

namespace evenkeel {

namespace {

using Way = std::array<std::int64_t, 3>;

Way between(const MeshVertex& from, const MeshVertex& to) {
  Way way = {};
  for (std::size_t d = 0; d < 3; ++d) way[d] = std::int64_t{to[d]} - from[d];
  return way;
}

Way cross(const Way& a, const Way& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// If a and b are sides of triangles in the lattice, no sum exceeds 3 * 2^61.
std::int64_t dot(const Way& a, const Way& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::array<MeshVertex, 4> corners_of(const MeshVertices& mesh, const GridPlace& part,
                                     const KuhnPath& path) {
  std::array<MeshVertex, 4> corners = {};
  const std::array<unsigned, 4> bits = corners_on(path);
  for (std::size_t i = 0; i < 4; ++i) corners[i] = mesh.place_of(part, bits[i]);
  return corners;
}

// The plane through three places that is above 0 at a fourth one.
MeshPlane plane_through(const MeshVertex& a, const MeshVertex& b, const MeshVertex& c,
                        const MeshVertex& above) {
  Way slope = cross(between(a, b), between(a, c));
  if (dot(slope, between(a, above)) < 0)
    for (std::int64_t& along : slope) along = -along;
  MeshPlane plane = {{slope[0], slope[1], slope[2]}, 0};
  const std::int64_t at_a[3] = {a[0], a[1], a[2]};
  const auto* const first = std::find_if(slope.begin(), slope.end(), [](auto s) { return s != 0; });
  const bool has_face = first != slope.end() && *first > 0;
  plane.constant = -plane.at(at_a) - (has_face ? 0 : 1);
  return plane;
}

// Odd permutations make tetrahedra of the other orientation.
bool is_odd(const KuhnPath& path) { return (path[1] + 3 - path[0]) % 3 == 2; }

}  // namespace

std::int64_t volume_of(const MeshVertices& mesh, const GridPlace& part, const KuhnPath& path) {
  const auto [a, b, c, d] = corners_of(mesh, part, path);
  const std::int64_t volume = dot(cross(between(a, b), between(a, c)), between(a, d));
  return is_odd(path) ? -volume : volume;
}

std::vector<Tetrahedron> tetrahedra_of(const MeshVertices& mesh) {
  std::vector<Tetrahedron> all;
  for (int part = 0; part < mesh.shape.parts(); ++part)
    for (const KuhnPath& path : kuhn_paths) {
      const std::array<MeshVertex, 4> at = corners_of(mesh, mesh.shape.at(part), path);
      Tetrahedron& its = all.emplace_back();
      its.part = part;
      for (std::size_t i = 0; i < 4; ++i)
        its.faces[i] = plane_through(at[(i + 1) % 4], at[(i + 2) % 4], at[(i + 3) % 4], at[i]);
    }
  return all;
}

MeshCells::MeshCells(const MeshVertices& mesh, const std::array<double, 3>& last)
    : tetrahedra_(tetrahedra_of(mesh)), octree_(mesh.shape.dimensions, mesh_levels, last) {
  octree_.divide(
      tetrahedra_.size(), 2048 + 32 * static_cast<std::size_t>(mesh.shape.parts()),
      [&](const LatticeBox& box, const std::vector<int>& near) {
        std::vector<int> kept;
        std::copy_if(near.begin(), near.end(), std::back_inserter(kept), [&](int one) {
          return tetrahedra_[static_cast<std::size_t>(one)].meets(box.first.data(),
                                                                  box.last.data());
        });
        return kept;
      },
      [](const LatticeBox&, const std::vector<int>& near) { return near; });
}

}  // namespace evenkeel
