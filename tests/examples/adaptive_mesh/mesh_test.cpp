// Tests the mesh of example 07, which depends on a front alone. Its rings must fit together, and
// from one front to the next it must change by one level at a time.

#include "../../../examples/adaptive_mesh/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

constexpr double reach = 0.03;

Mesh mesh_at(int finest, double angle, double margin = 0.01) {
  Mesh mesh(finest, reach, margin);
  mesh.front = Front::at(angle);
  return mesh;
}

std::vector<Point> vertices_of(const Mesh& mesh) {
  std::vector<Point> vertices;
  for (int j = 0; j <= Mesh::width; ++j)
    for (int i = 0; i <= Mesh::width; ++i)
      if (mesh.has({i, j})) vertices.push_back({i, j});
  return vertices;
}

double cross(Point at, Point a, Point b) {
  return double(a.i - at.i) * double(b.j - at.j) - double(b.i - at.i) * double(a.j - at.j);
}

// Each vertex finds its ring on its own. All rings together must be a mesh.
void expect_fits(const Mesh& mesh) {
  const std::vector<Point> vertices = vertices_of(mesh);
  std::map<std::pair<std::int64_t, std::int64_t>, int> edges;
  std::map<std::set<std::int64_t>, int> triangles;
  double six_areas = 0;
  for (const Point at : vertices) {
    Point ring[8];
    const int found = mesh.find_ring(at, ring);
    const int elements = Mesh::is_at_boundary(at) ? found - 1 : found;
    ASSERT_GE(elements, 1);
    ASSERT_LE(found, 8);
    for (int k = 0; k < found; ++k) {
      EXPECT_TRUE(mesh.has(ring[k]));
      ++edges[{at.id(), ring[k].id()}];
    }
    for (int k = 0; k < elements; ++k) {
      const Point one = ring[k], other = ring[(k + 1) % found];
      EXPECT_GT(cross(at, one, other), 0);
      six_areas += cross(at, one, other);  // each of the three corners adds twice the area
      ++triangles[{at.id(), one.id(), other.id()}];
    }
  }
  for (const auto& [ends, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({ends.second, ends.first}));
  }
  for (const auto& [corners, count] : triangles) {
    EXPECT_EQ(corners.size(), 3);
    EXPECT_EQ(count, 3);
  }
  EXPECT_EQ(six_areas, 6.0 * Mesh::width * Mesh::width);
  const MeshCount count = MeshCount::of(mesh);
  EXPECT_EQ(count.triangles, std::ssize(triangles));
  EXPECT_EQ(count.vertices, std::ssize(vertices));
  EXPECT_EQ(std::ssize(vertices) - std::ssize(edges) / 2 + std::ssize(triangles), 1);  // Euler
}

TEST(AdaptiveMesh, RingsFitTogether) {
  for (const int finest : {Mesh::coarsest, Mesh::coarsest + 1, 11, 14, 17})
    for (const double angle : {0.0, 0.5, 2.0, 4.4}) expect_fits(mesh_at(finest, angle));
}

TEST(AdaptiveMesh, RingsFitTogetherWhereAllIsRefined) { expect_fits(mesh_at(14, 0.3, 0.3)); }

TEST(AdaptiveMesh, AVertexNeedsItsParents) {
  const Mesh mesh = mesh_at(16, 0.7);
  for (const Point at : vertices_of(mesh)) {
    const int unit = Mesh::width_of(at);
    if (unit == Mesh::width) continue;  // a corner
    // In these four directions are the ends of the side that the vertex bisects, and its parents.
    const int first = Mesh::is_middle_of_square(at, unit) ? 1 : 0;
    int parents = 0;
    for (int direction = first; direction < 8; direction += 2) {
      const Point to = at.towards(direction, unit);
      if (to.i < 0 || to.j < 0 || to.i > Mesh::width || to.j > Mesh::width) continue;
      EXPECT_TRUE(mesh.has(to));
      if (Mesh::level_of(to) == Mesh::level_of(at) - 1) ++parents;
    }
    EXPECT_GE(parents, Mesh::is_at_boundary(at) || Mesh::level_of(at) == 1 ? 1 : 2);
  }
}

// The examples rely on this: a rank that owns one end of an edge finds the new vertex on it.
TEST(AdaptiveMesh, NewVerticesAreMidpointsOfEdges) {
  for (const double turn : {0.001, 0.02, 0.05}) {
    const double margin = Front::outer * turn;
    Mesh before = mesh_at(15, 0, margin);
    for (int k = 1; k < 6; ++k) {
      const Mesh now = mesh_at(15, k * turn, margin);
      std::set<std::int64_t> expected;
      for (const Point at : vertices_of(before)) {
        if (now.has(at)) expected.insert(at.id());
        Point ring[8];
        const int found = before.find_ring(at, ring);
        for (int n = 0; n < found; ++n)
          if (has_middle(at, ring[n]) && now.has(middle_of(at, ring[n])))
            expected.insert(middle_of(at, ring[n]).id());
      }
      std::set<std::int64_t> vertices;
      for (const Point at : vertices_of(now)) vertices.insert(at.id());
      EXPECT_EQ(vertices, expected);
      before = now;
    }
  }
}

// A front that moves farther than the margin would need two levels at once.
TEST(AdaptiveMesh, TheMarginIsNeeded) {
  const Mesh before = mesh_at(15, 0, 0), now = mesh_at(15, 0.3, 0);
  bool all_are_midpoints = true;
  for (const Point at : vertices_of(now)) {
    if (before.has(at)) continue;
    const int unit = Mesh::width_of(at);
    bool found = false;
    for (int direction = 0; direction < 4; ++direction)
      found = found || (before.has(at.towards(direction, unit)) &&
                        before.has(at.towards(direction + 4, unit)));
    all_are_midpoints = all_are_midpoints && found;
  }
  EXPECT_FALSE(all_are_midpoints);
}

TEST(AdaptiveMesh, BendingTurnsNoTriangleAround) {
  double poorest = 1;
  for (const double angle : {0.0, 0.9}) {
    const Mesh mesh = mesh_at(17, angle);
    for (const Point at : vertices_of(mesh)) {
      Point ring[8];
      const int found = mesh.find_ring(at, ring);
      double a[2], b[2], c[2];
      mesh.place_of(at, a);
      for (int k = 0; k < found - (Mesh::is_at_boundary(at) ? 1 : 0); ++k) {
        mesh.place_of(ring[k], b);
        mesh.place_of(ring[(k + 1) % found], c);
        poorest = std::min(poorest, quality_of(a, b, c));
      }
    }
  }
  EXPECT_GT(poorest, 0);
  EXPECT_LT(poorest, 0.1);  // but some get slender
}

TEST(AdaptiveMesh, QualityOfTriangles) {
  const double a[2] = {0, 0}, b[2] = {1, 0}, equilateral[2] = {0.5, std::numbers::sqrt3 / 2};
  const double right[2] = {0, 1}, flat[2] = {0.5, 0.01}, line[2] = {0.5, 0};
  EXPECT_DOUBLE_EQ(quality_of(a, b, equilateral), 1);
  EXPECT_DOUBLE_EQ(quality_of(a, b, right), std::numbers::sqrt3 / 2);
  EXPECT_LT(quality_of(a, b, flat), 0.03);
  EXPECT_EQ(quality_of(a, b, line), 0);
  EXPECT_LT(quality_of(b, a, right), 0);  // turns right
}

}  // namespace
