#include "core/domains/answers.hpp"

#include <evenkeel/backends/exec/with_space.hpp>

namespace evenkeel::mesh_test {
namespace {

using test::Point;
using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr std::int32_t cells = 1 << mesh_levels;  // along an axis of `unit`

// Four quadrilaterals. The vertex in the middle has moved to (3/8, 1/2).
std::vector<MeshVertex> nine_vertices() {
  std::vector<MeshVertex> vertices;
  for (int v = 0; v < 9; ++v) vertices.push_back({v / 3 * (cells / 2), v % 3 * (cells / 2), 0});
  vertices[4][0] = 3 * (cells / 8);
  return vertices;
}

MeshDomains four() {
  return MeshDomains(7, {2, {2, 2, 1}}, unit, {}, nine_vertices(), {3, 2, 1, 0});
}

TEST(MeshDomains, ByHand) {
  const MeshDomains domains = four();
  EXPECT_EQ(domains.generation(), 7);
  EXPECT_EQ(domains.parts(), 4);
  EXPECT_EQ(domains.owner_of(std::array{0.3, 0.3}), 3);
  EXPECT_EQ(domains.owner_of(std::array{0.3, 0.6}), 2);
  EXPECT_EQ(domains.owner_of(std::array{0.4, 0.49}), 1);
  EXPECT_EQ(domains.owner_of(std::array{0.4, 0.51}), 0);
  EXPECT_EQ(domains.owner_of(std::array{0.4, 0.1}), 3) << "the border is oblique";
  EXPECT_EQ(domains.owner_of(std::array{5.0, 5.0}), 0) << "outside, the nearest place counts";
  EXPECT_EQ(domains.ranks_within({{0.2, 0.3, 0}, {0.2, 0.3, 0}}, 0.1), (std::vector{3}));
  EXPECT_EQ(domains.ranks_within({{0.2, 0.3, 0}, {0.2, 0.3, 0}}, 0.19), (std::vector{1, 3}));
  EXPECT_EQ(domains.ranks_within({{0.2, 0.3, 0}, {0.2, 0.3, 0}}, 0.21), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(domains.ranks_within({{0, 0, 0}, {1, 1, 0}}, 0), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(domains.place_of({1, 1, 0}), (std::array{0.375, 0.5, 0.0}));
  EXPECT_EQ(domains.place_of({2, 1, 0}), (std::array{1.0, 0.5, 0.0}));
  EXPECT_TRUE(domains.divides_as(four()));
  std::vector<MeshVertex> others = nine_vertices();
  ++others[4][1];
  EXPECT_FALSE(domains.divides_as(MeshDomains(7, {2, {2, 2, 1}}, unit, {}, others)));
}

TEST(MeshDomains, ShapesOfQuadrilaterals) {
  const std::vector<DomainShape> shapes = four().shapes_of(0);
  ASSERT_EQ(shapes.size(), 1U);
  ASSERT_EQ(shapes[0].faces.size(), 1U);
  const std::array<double, 3> corner =
      shapes[0].corners[static_cast<std::size_t>(shapes[0].faces[0][2])];
  EXPECT_EQ(corner, (std::array{0.375, 0.5, 0.0}));
}

// The tetrahedra of a shape end at its faces, so the volumes of all shapes fill the box.
TEST(MeshDomains, ShapesFillTheBox) {
  Random random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const MeshDomains domains = test::random_mesh(3, random);
    bool is_flat = false;
    double whole = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      is_flat = is_flat || test::is_flat(domains.box(), d);
      whole *= domains.box().upper[d] - domains.box().lower[d];
    }
    if (is_flat) continue;
    double sum = 0;
    for (int part = 0; part < domains.parts(); ++part)
      for (const DomainShape& shape : domains.shapes_of(part)) {
        EXPECT_EQ(shape.faces.size(), 12U);
        double volume = 0;  // of tetrahedra from the first corner to each face
        for (const std::vector<int>& face : shape.faces) {
          std::array<std::array<double, 3>, 3> edge = {};
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t d = 0; d < 3; ++d)
              edge[i][d] =
                  shape.corners[static_cast<std::size_t>(face[i])][d] - shape.corners[0][d];
          double determinant = 0;
          for (std::size_t d = 0; d < 3; ++d)
            determinant += edge[0][d] * (edge[1][(d + 1) % 3] * edge[2][(d + 2) % 3] -
                                         edge[1][(d + 2) % 3] * edge[2][(d + 1) % 3]);
          volume += std::abs(determinant) / 6;
        }
        sum += volume;
      }
    EXPECT_NEAR(sum, whole, 1e-5 * whole);
  }
}

TEST(MeshDomains, AcrossAPeriodicAxis) {
  std::vector<MeshVertex> vertices = nine_vertices();
  const MeshDomains domains(1, {2, {2, 2, 1}}, unit, {true, false, false}, vertices);
  EXPECT_EQ(domains.owner_of(std::array{1.1, 0.1}), 0);
  EXPECT_EQ(domains.owner_of(std::array{-0.1, 0.1}), 2);
  EXPECT_EQ(domains.ranks_within({{0.9, 0.2, 0}, {0.9, 0.2, 0}}, 0.2), (std::vector{0, 2}));
}

// The mesh extends beyond a box without extent. All places belong to one domain.
TEST(MeshDomains, ABoxWithoutExtent) {
  const MeshDomains domains(1, {2, {2, 2, 1}}, {{1, 2, 0}, {1, 2, 0}}, {}, nine_vertices());
  EXPECT_EQ(domains.owner_of(std::array{1.0, 2.0}), 0);
  EXPECT_EQ(domains.owner_of(std::array{-7.0, 30.0}), 0);
  EXPECT_EQ(domains.boxes_of(0).size(), 1U);
  EXPECT_TRUE(domains.boxes_of(3).empty());
  EXPECT_TRUE(domains.touching(3).empty());
}

// Rounding must not make a difference in very small and very large boxes.
TEST(MeshDomains, BoxesOfAnySize) {
  for (const double size : {1e-9, 1e+9}) {
    const MeshDomains domains(1, {2, {2, 2, 1}}, {{0, 0, 0}, {size, size, 0}}, {}, nine_vertices());
    EXPECT_EQ(domains.owner_of(std::array{0.3 * size, 0.3 * size}), 0);
    EXPECT_EQ(domains.owner_of(std::array{0.4 * size, 0.51 * size}), 3);
  }
}

TEST(MeshDomains, Misuse) {
  const auto refused = [](std::vector<MeshVertex> vertices,
                          const std::array<bool, 3>& periodic = {}, std::vector<int> ranks = {}) {
    return test::error_of([&] {
      MeshDomains(1, {2, {2, 2, 1}}, unit, periodic, std::move(vertices), std::move(ranks));
    });
  };
  EXPECT_EQ(refused({}),
            "evenkeel: core/domains: A mesh of 4 domains has 9 vertices, but 0 were given. Give a "
            "vertex for each corner.");
  const auto with = [](std::size_t vertex, const MeshVertex& place) {
    std::vector<MeshVertex> vertices = nine_vertices();
    vertices[vertex] = place;
    return vertices;
  };
  EXPECT_EQ(refused(with(1, {1, cells / 2, 0})),
            "evenkeel: core/domains: Vertex (0, 1, 0) has coordinate 1 along axis 0, where the box "
            "extends from 0 to 1048576. Keep vertices in the box, and those of its faces in these "
            "faces.");
  EXPECT_EQ(refused(with(8, {cells, cells - 1, 0})),
            "evenkeel: core/domains: Vertex (0, 2, 0) has coordinate 1048576 along axis 1, but the "
            "cells of the box are 0 to 1048575. Give the upper face the number after the last "
            "cell, or one up to 1048576.");
  EXPECT_EQ(refused(with(4, {1, cells - 1, 0})),
            "evenkeel: core/domains: A tetrahedron of domain 1 is inverted or flat. Move its "
            "vertices less.");
  EXPECT_EQ(refused(with(7, {cells, cells / 3, 0}), {true}),
            "evenkeel: core/domains: Vertex (2, 1, 0) is not opposite to Vertex (0, 1, 0), but "
            "axis 0 is periodic. Give both the same coordinates along the other axes.");
  EXPECT_EQ(refused(nine_vertices(), {}, {0, 0, 1, 2}),
            "evenkeel: core/domains: The ranks do not own one part each. Name each rank once, or "
            "no rank.");
  EXPECT_EQ(test::error_of([] {
              MeshDomains(1, {1, {2, 1, 1}}, unit, {}, {});
            }),
            "evenkeel: core/domains: A mesh in 1 dimensions was asked for. Use 2 or 3 "
            "dimensions.");
  EXPECT_EQ(test::error_of([] {
              four().place_of({0, 3, 0});
            }),
            "evenkeel: core/domains: Vertex (0, 3, 0) was asked for, but the last one is (2, 2, "
            "0). Ask for a vertex of the mesh.");
}

}  // namespace
}  // namespace evenkeel::mesh_test
