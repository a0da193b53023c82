// Cuts of graphs and nets into parts of different speeds.

#include "core/graph/graphs.hpp"

#include <evenkeel/core/graph.hpp>

namespace evenkeel::graph_speeds_test {
namespace {

using test::GraphOnHost;
using test::Part;

struct Cut {
  std::vector<int> parts;  // of all vertices, on all ranks
  GraphReport report;
};

Cut cut_on(const Communicator& ranks, const Space& space, const GraphOnHost& graph,
           const GraphCutOptions& options, const ByGraph& method,
           const std::vector<int>& from = {}) {
  const Part mine = test::share_of(graph, ranks.rank(), ranks.size());
  const auto offsets = test::array_of(mine.offsets, space),
             columns = test::array_of(mine.columns, space);
  const auto weights = test::array_of(mine.weights, space),
             positions = test::array_of(mine.positions, space);
  const auto from_there = test::array_of(
      test::slice(from, mine.first, mine.first + std::ssize(mine.offsets) - 1), space);
  const auto weight_field = test::rows_of_numbers(weights, graph.constraints);
  const auto position_field = test::rows_of_numbers(positions, 2);
  GraphOptions known;
  if (!graph.weights.empty()) known.weight = weight_field;
  if (!graph.positions.empty()) known.position = position_field;
  GraphCutOptions all = options;
  if (!from.empty()) all.from = from_there;
  const GraphCut cut =
      cut_graph(space, ranks, evenkeel::graph(offsets, columns, known), all, method);
  const std::vector<int> parts = cut.parts.on_host();
  return {ranks.all_gather(std::span<const int>(parts)).values, cut.report};
}

Cut cut_of(const GraphOnHost& graph, const std::vector<double>& speeds, const ByGraph& method = {},
           const std::vector<int>& from = {}) {
  return cut_on(test::world(), test::space(), graph,
                {.parts = static_cast<int>(speeds.size()), .speeds = speeds}, method, from);
}

std::vector<double> loads_of(const GraphOnHost& graph, const Cut& cut, std::size_t parts,
                             int constraint = 0) {
  std::vector<double> loads(parts);
  for (std::int64_t v = 0; v < graph.size(); ++v)
    loads[std::size_t(cut.parts[std::size_t(v)])] += graph.weight(v, constraint);
  return loads;
}

// Each part is within the target times its own share, in each constraint.
void expect_within(const GraphOnHost& graph, const Cut& cut, const std::vector<double>& speeds,
                   double target = 1.03) {
  ASSERT_EQ(std::ssize(cut.parts), graph.size());
  for (int c = 0; c < graph.constraints; ++c) {
    const double lambda = lambda_of(loads_of(graph, cut, speeds.size(), c), speeds);
    EXPECT_NEAR(cut.report.lambda[std::size_t(c)], lambda, 1e-6);
    EXPECT_GE(lambda, cut.report.bound[std::size_t(c)] - 1e-6);
    EXPECT_LE(lambda, std::max(target, cut.report.bound[std::size_t(c)]) + 1e-6);
  }
  if (graph.size() >= std::ssize(speeds)) {
    EXPECT_EQ(cut.report.empty, 0);
  }
}

bool is_slow() { return test::size() > 2 || test::space().is_device(); }
constexpr Effort efforts[] = {Effort::good, Effort::fast, Effort::polish};

const std::vector<double> in_classes = {1, 2, 4, 8};
const std::vector<double> many = {1, 2, 4, 8, 1, 2, 4, 8, 3, 3, 1, 5};

TEST(GraphBySpeed, PartsAreProportionalToSpeeds) {
  const GraphOnHost grid = test::grid(40, 35), mesh = test::random_mesh(4000, 3);
  if (is_slow()) return expect_within(grid, cut_of(grid, many), many);
  for (const Effort effort : efforts)
    for (const std::vector<double>& speeds : {in_classes, many})
      for (const GraphOnHost* const graph : {&grid, &mesh})
        expect_within(*graph, cut_of(*graph, speeds, {.effort = effort}), speeds);
}

TEST(GraphBySpeed, WeightedVerticesAndSeveralConstraints) {
  GraphOnHost graph = test::grid(50, 40);
  graph.constraints = 2;
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    graph.weights.push_back(1 + static_cast<double>(test::mix(v, 1) % 5));
    graph.weights.push_back(v < 900 ? 3 : 1);
  }
  expect_within(graph, cut_of(graph, in_classes, {.target_lambda = 1.08}), in_classes, 1.08);
}

// The cut is not much worse than that into equal parts, as far as its borders are not longer.
TEST(GraphBySpeed, CutsFewEdges) {
  if (is_slow()) GTEST_SKIP();
  const GraphOnHost grid = test::grid(64, 64);
  const Cut equal = cut_of(grid, {1, 1, 1, 1});
  EXPECT_LE(cut_of(grid, in_classes).report.cut, 1.25 * equal.report.cut);
}

// A slow part has few vertices of the coarsest graph. If all of them leave at once, the part stays
// empty up to the finest graph, and no cut within the target is found before.
TEST(GraphBySpeed, SlowPartsKeepVertices) {
  if (is_slow()) GTEST_SKIP();
  std::vector<double> speeds;
  while (speeds.size() < 24) speeds.insert(speeds.end(), {1, 3, 9});
  for (GraphOnHost mesh : {test::random_mesh(3000, 1), test::random_mesh(12000, 2)}) {
    mesh.positions.clear();
    const Cut equal = cut_of(mesh, std::vector<double>(24, 1));
    EXPECT_LT(cut_of(mesh, speeds).report.cut, equal.report.cut);
  }
}

TEST(GraphBySpeed, EqualSpeedsChangeNothing) {
  const GraphOnHost mesh = test::random_mesh(600, 5);
  const GraphCutOptions plain = {.parts = 5};
  const Cut expected = cut_on(test::world(), test::space(), mesh, plain, {});
  EXPECT_EQ(cut_of(mesh, std::vector<double>(5, 0.3)).parts, expected.parts);
}

TEST(GraphBySpeed, TheSameOnAnyNumberOfRanks) {
  const GraphOnHost mesh = test::random_mesh(1500, 7);
  const Cut alone = cut_on(Communicator::self(), Space::where(MemoryKind::host), mesh,
                           {.parts = 4, .speeds = in_classes}, {});
  EXPECT_EQ(cut_of(mesh, in_classes).parts, alone.parts);
}

TEST(GraphBySpeed, BeginsFromPresentParts) {
  const GraphOnHost grid = test::grid(30, 20);
  const Cut equal = cut_on(test::world(), test::space(), grid, {.parts = 4}, {});
  const Cut cut = cut_of(grid, in_classes, {}, equal.parts);
  expect_within(grid, cut, in_classes);
  EXPECT_GE(cut.report.moved_weight, cut.report.least_moved_weight - 1e-9);
  const Cut again = cut_of(grid, in_classes, {}, cut.parts);
  expect_within(grid, again, in_classes);
  EXPECT_LE(again.report.moved, 0.1);
}

using Counts = std::vector<std::int64_t>;

// A part holds whole vertices, so the bound is above 1.
TEST(GraphBySpeed, FewVertices) {
  for (const std::int64_t count : is_slow() ? Counts{1, 7} : Counts{1, 3, 4, 7, 15, 31})
    for (const std::vector<double>& speeds : {in_classes, std::vector<double>{1, 3}}) {
      SCOPED_TRACE(count);
      const GraphOnHost path = test::path(count);
      const Cut cut = cut_of(path, speeds);
      ASSERT_EQ(std::ssize(cut.parts), count);
      const double lambda = lambda_of(loads_of(path, cut, speeds.size()), speeds);
      EXPECT_NEAR(cut.report.lambda[0], lambda, 1e-6);
      EXPECT_GE(lambda, cut.report.bound[0] - 1e-6);
    }
  const GraphOnHost fifteen = test::path(15);
  EXPECT_EQ(loads_of(fifteen, cut_of(fifteen, in_classes), 4), (std::vector<double>{1, 2, 4, 8}));
}

// Only the fastest part has room for the heavy vertex.
TEST(GraphBySpeed, AHeavyVertexGoesToAFastPart) {
  GraphOnHost grid = test::grid(20, 20);
  grid.weights.assign(400, 1.0);
  grid.weights[210] = 300;
  const Cut cut = cut_of(grid, in_classes);
  EXPECT_EQ(cut.parts[210], 3);
  expect_within(grid, cut, in_classes);
}

TEST(GraphBySpeed, SpeedsThatMakeNoSenseAreErrors) {
  const GraphOnHost grid = test::grid(10, 10);
  const auto cut_with = [&](const std::vector<double>& speeds) {
    cut_on(test::world(), test::space(), grid, {.parts = 3, .speeds = speeds}, {});
  };
  EXPECT_ERROR(cut_with({1, 2}),
               "core/graph: 2 speeds came for 3 parts. Give one speed per part, or no speeds.");
  EXPECT_ERROR(cut_with({1, 0, 2}), "A speed is zero, negative, NaN or infinite.");
  if (test::size() > 1) {
    EXPECT_ERROR(cut_with({1, 2, 3.0 + test::rank()}),
                 "core/graph: Ranks give different speeds of parts. Give the same speeds on all "
                 "ranks.");
  }
}

}  // namespace
}  // namespace evenkeel::graph_speeds_test
