// The search for meshes, on one process.

#include "domains/kuhn/shapes.hpp"
#include "domains/kuhn/start.hpp"

#include "core/values.hpp"

#include <numbers>

namespace evenkeel::kuhn_test {
namespace {

using Random = std::mt19937_64;
using Cell = std::array<std::int32_t, 3>;

constexpr std::int32_t side = 1 << mesh_levels;

MeshFrame cube(int dimensions, const std::array<int, 3>& extents,
               const std::array<bool, 3>& periodic = {}) {
  MeshFrame frame{{dimensions, extents}, periodic, {}, {}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) frame.upper[d] = side;
  return frame;
}

using Place = std::array<double, 3>;

Place on_a_shell(Random& random) {
  std::normal_distribution<double> normal;
  Place at = {normal(random), normal(random), normal(random)};
  const double length = std::hypot(at[0], at[1], at[2]);
  const double radius = 0.4 + 0.005 * normal(random);
  for (double& along : at) along = 0.5 + along / length * radius;
  return at;
}

// A place of a cloud, which may be outside of the unit cube.
Place place_in(const std::string& cloud, Random& random) {
  if (cloud == "shell") return on_a_shell(random);
  std::uniform_real_distribution<double> even(0, 1);
  std::normal_distribution<double> normal;
  Place at = {even(random), even(random), even(random)};
  const bool is_first = even(random) < 0.5;
  const double turn = 2 * std::numbers::pi * at[0];
  for (std::size_t d = 0; d < 3; ++d) {
    if (cloud == "gauss") at[d] = 0.5 + 0.12 * normal(random);
    if (cloud == "twin")
      at[d] = is_first ? 0.3 + 0.03 * normal(random) : 0.7 + 0.08 * normal(random);
    if (cloud == "corner") at[d] = -0.05 * std::log(1 - at[d]);
    if (cloud == "plane" && d == 1) at[d] = 0.3;
    if (cloud == "line" && d < 2) at[d] = 0.5;
    if (cloud == "point") at[d] = 0.7;
    if (cloud == "thread" && d > 0)
      at[d] = 0.5 + 0.3 * (d == 1 ? std::sin(turn) : std::cos(turn)) + 0.01 * normal(random);
  }
  return at;
}

std::vector<MeshPoint> points_of(const std::string& cloud, std::size_t count, int dimensions,
                                 Random& random) {
  std::vector<MeshPoint> points;
  while (points.size() < count) {
    const Place at = place_in(cloud, random);
    MeshPoint point{{}, 1 << 16};
    bool is_inside = true;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      point.cell[d] = static_cast<std::int32_t>(std::floor(at[d] * side));
      is_inside = is_inside && point.cell[d] >= 0 && point.cell[d] < side;
    }
    if (is_inside) points.push_back(point);
  }
  return points;
}

std::array<double, 3> last_cell(int dimensions) {
  return {side - 1.0, side - 1.0, dimensions == 3 ? side - 1.0 : 0};
}

bool is_inverted(const MeshFrame& frame, std::span<const MeshVertex> vertices) {
  for (int part = 0; part < frame.shape.parts(); ++part)
    for (const KuhnPath& path : kuhn_paths)
      if (volume_of({frame.shape, vertices}, frame.shape.at(part), path) <= 0) return true;
  return false;
}

// The tetrahedra that hold a cell, by definition.
std::vector<int> holders(const std::vector<Tetrahedron>& all, const Cell& cell) {
  const std::int64_t at[3] = {cell[0], cell[1], cell[2]};
  std::vector<int> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].holds(at)) found.push_back(static_cast<int>(i));
  return found;
}

std::vector<std::int64_t> sums_in(const MeshFrame& frame, std::span<const MeshVertex> vertices,
                                  const std::vector<MeshPoint>& points) {
  const MeshCells cells({frame.shape, vertices}, last_cell(frame.shape.dimensions));
  std::vector<std::int64_t> sums(static_cast<std::size_t>(frame.shape.parts() * sums_per_part));
  for (const MeshPoint& point : points) {
    const std::int64_t cell[3] = {point.cell[0], point.cell[1], point.cell[2]};
    const int number = cells.finder()(cell);
    sums[static_cast<std::size_t>(number / tetrahedra_per_part * sums_per_part)] += point.units;
    for_each_share(
        cells.tetrahedra().data(), number, cell, point.units,
        [&](std::int64_t at, std::int64_t share) { sums[static_cast<std::size_t>(at)] += share; });
  }
  return sums;
}

struct Result {
  std::vector<MeshVertex> vertices;
  double lambda;
  int passes = 0;
};

// Tests that no step inverts a tetrahedron.
Result solved(const MeshFrame& frame, const std::vector<MeshPoint>& points, const KuhnPath& axes,
              const MeshGoal& goal, const std::vector<double>& shares = {}) {
  MeshSolver solver(frame, triangular_mesh(frame, points, axes), goal, shares);
  int passes = 1;
  EXPECT_FALSE(is_inverted(frame, solver.vertices()));
  while (solver.improve(sums_in(frame, solver.vertices(), points))) {
    ++passes;
    EXPECT_FALSE(is_inverted(frame, solver.vertices())) << "pass " << passes;
  }
  return {solver.vertices(), solver.best_lambda(), passes};
}

// The middle of some vertices of a tetrahedron: a vertex, or the middle of an edge, of a face or of
// all, if this is a cell.
Cell middle_of(const MeshVertices& mesh, int part, const KuhnPath& path, unsigned some) {
  Cell sum = {};
  std::int32_t count = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((some >> i & 1U) == 0) continue;
    ++count;
    const MeshVertex at = mesh.place_of(mesh.shape.at(part), corners_on(path)[i]);
    for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.shape.dimensions); ++d)
      sum[d] += at[d];
  }
  for (std::int32_t& along : sum) along = std::min(along / count, side - 1);
  return sum;
}

TEST(Kuhn, EachCellIsInOneTetrahedron) {
  Random random(1);
  for (const int dimensions : {2, 3}) {
    const MeshFrame frame = cube(dimensions, {3, 4, dimensions == 3 ? 2 : 1});
    const std::vector<MeshPoint> points = points_of("twin", 3000, dimensions, random);
    const std::vector<MeshVertex> vertices =
        solved(frame, points, {0, 1, 2}, {0.02, 20, 5}).vertices;
    const MeshCells cells({frame.shape, vertices}, last_cell(dimensions));
    const auto expect_one = [&](const Cell& cell) {
      const std::vector<int> found = holders(cells.tetrahedra(), cell);
      ASSERT_EQ(found.size(), 1U) << cell[0] << ' ' << cell[1] << ' ' << cell[2];
      const std::int64_t at[3] = {cell[0], cell[1], cell[2]};
      EXPECT_EQ(cells.finder()(at), found.front());
    };
    for (const MeshPoint& point : points) expect_one(point.cell);
    for (int part = 0; part < frame.shape.parts(); ++part)
      for (const KuhnPath& path : kuhn_paths)
        for (unsigned some = 1; some < 16; ++some)
          expect_one(middle_of({frame.shape, vertices}, part, path, some));
  }
}

TEST(Kuhn, TetrahedraOfAllCloudsAreEven) {
  Random random(2);
  for (const char* const cloud : {"uniform", "gauss", "twin", "shell", "corner"}) {
    SCOPED_TRACE(cloud);
    const MeshFrame frame = cube(3, {4, 4, 4});
    const std::vector<MeshPoint> points = points_of(cloud, 64 * 500, 3, random);
    double best = 2;
    for (std::size_t order = 0; order < 6 && best > 1.05; ++order)
      best = std::min(best, solved(frame, points, kuhn_paths[order], {0.02, 60, 12}).lambda);
    EXPECT_LE(best, 1.05);
  }
}

// Hexahedra of 1, 2, 4 and 8 parts of the weight, beside each other.
TEST(Kuhn, WeightsAreProportionalToShares) {
  Random random(8);
  for (const char* const cloud : {"uniform", "gauss", "twin", "shell", "corner"})
    for (const GridPlace& extents : {GridPlace{2, 2, 1}, GridPlace{2, 2, 2}, GridPlace{4, 4, 2}}) {
      SCOPED_TRACE(cloud);
      const MeshFrame frame = cube(3, extents);
      const int parts = frame.shape.parts();
      std::vector<double> shares;
      for (int p = 0; p < parts; ++p) shares.push_back(static_cast<double>(1U << p % 4) / 3.75);
      const std::vector<MeshPoint> points = points_of(cloud, parts * 1000, 3, random);
      double best = 8;
      for (std::size_t order = 0; order < 6 && best > 1.05; ++order)
        best =
            std::min(best, solved(frame, points, kuhn_paths[order], {0.02, 60, 12}, shares).lambda);
      EXPECT_LE(best, 1.05);
    }
}

// It is not possible to be even here; but nothing may fail.
TEST(Kuhn, CloudsThatAMeshCannotDivide) {
  Random random(3);
  for (const char* const cloud : {"thread", "plane", "line", "point"})
    for (const int dimensions : {2, 3})
      for (const std::size_t count : {0U, 1U, 5U, 3000U}) {
        SCOPED_TRACE(cloud);
        const MeshFrame frame = cube(dimensions, {4, 3, dimensions == 3 ? 2 : 1}, {true});
        const std::vector<MeshPoint> points = points_of(cloud, count, dimensions, random);
        for (const KuhnPath& axes : orders_of_axes(dimensions))
          EXPECT_GE(solved(frame, points, axes, {0.02, 20, 5}).lambda, 1);
      }
}

TEST(Kuhn, EndsOfPeriodicAxesFitTogether) {
  Random random(4);
  const MeshFrame frame = cube(3, {3, 2, 4}, {true, true, false});
  const std::vector<MeshPoint> points = points_of("gauss", 10000, 3, random);
  for (const KuhnPath& axes : kuhn_paths) {
    const Result found = solved(frame, points, axes, {0.02, 30, 5});
    EXPECT_LE(found.lambda, 1.05);
    const GridShape grid = MeshVertices::grid_of(frame.shape);
    for (int v = 0; v < grid.parts(); ++v)
      for (std::size_t d = 0; d < 2; ++d) {
        GridPlace at = grid.at(v);
        if (at[d] != frame.shape.extents[d]) continue;
        const MeshVertex& upper = found.vertices[static_cast<std::size_t>(v)];
        EXPECT_EQ(upper[d], side);
        at[d] = 0;
        MeshVertex lower = found.vertices[static_cast<std::size_t>(grid.part_at(at))];
        lower[d] = side;
        EXPECT_EQ(lower, upper);
      }
  }
}

TEST(Kuhn, EdgesAreAtLeastAsLongAsTheLeastWidth) {
  Random random(5);
  MeshFrame frame = cube(3, {4, 4, 4});
  frame.least_width = {side / 5, side / 8, 0};
  const std::vector<MeshPoint> points = points_of("gauss", 10000, 3, random);
  const Result found = solved(frame, points, {0, 1, 2}, {0.01, 30, 5});
  const GridShape grid = MeshVertices::grid_of(frame.shape);
  for (int v = 0; v < grid.parts(); ++v)
    for (std::size_t d = 0; d < 2; ++d) {
      GridPlace next = grid.at(v);
      if (++next[d] == grid.extents[d]) continue;
      EXPECT_GE(found.vertices[static_cast<std::size_t>(grid.part_at(next))][d] -
                    found.vertices[static_cast<std::size_t>(v)][d],
                frame.least_width[d]);
    }
}

// A vertex in the middle of a uniform cloud is moved back from where it does not belong.
TEST(Kuhn, StepsGoTheRightWay) {
  Random random(6);
  const MeshFrame frame = cube(3, {2, 2, 2});
  const std::vector<MeshPoint> points = points_of("uniform", 40000, 3, random);
  std::vector<MeshVertex> start;
  for (int v = 0; v < 27; ++v) {
    const GridPlace at = GridShape{3, {3, 3, 3}}.at(v);
    start.push_back({at[0] * (side / 2), at[1] * (side / 2), at[2] * (side / 2)});
  }
  start[13] = {side / 3, side / 2 + side / 8, side / 2};
  MeshSolver solver(frame, start, {0.01, 15, 5});
  int passes = 1;
  while (solver.improve(sums_in(frame, solver.vertices(), points))) ++passes;
  EXPECT_LE(solver.best_lambda(), 1.01);
  EXPECT_LE(passes, 5);
}

}  // namespace
}  // namespace evenkeel::kuhn_test
