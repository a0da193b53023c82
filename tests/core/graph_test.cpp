#include "core/graph/graphs.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/graph.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace evenkeel {
namespace {

using test::GraphOnHost;
using test::Part;
using test::share_of;

struct Cut {
  std::vector<int> parts;  // of all vertices, on all ranks
  GraphReport report;
};

// Cuts the share of this rank; what is given says nothing of ranks.
Cut cut_of(const GraphOnHost& graph, const GraphCutOptions& options, const ByGraph& method = {},
           const std::vector<int>& from = {}) {
  const Communicator ranks = test::world();
  const Part mine = share_of(graph, ranks.rank(), ranks.size());
  const auto there = [&]<class T>(const std::vector<T>& values) {
    return exec::Array<T>(test::space(), "graph", std::span<const T>(values));
  };
  const auto offsets = there(mine.offsets), columns = there(mine.columns);
  const auto weights = there(mine.weights);
  const auto edge_weights = there(mine.edge_weights);
  const auto uncuttable = there(mine.uncuttable);
  const auto fixed = there(mine.fixed);
  const auto positions = there(mine.positions);
  const std::vector<int> my_from(
      from.begin() + (from.empty() ? 0 : mine.first),
      from.begin() + (from.empty() ? 0 : mine.first + std::ssize(mine.offsets) - 1));
  const auto from_there = there(my_from);
  const auto weight_field =
      raw_field(weights.data(), {.count = std::ssize(mine.offsets) - 1,
                                 .components = graph.constraints,
                                 .memory = weights.memory()});
  const auto position_field =
      raw_field(positions.data(), {.count = std::ssize(mine.offsets) - 1,
                                   .components = 2,
                                   .memory = positions.memory()});
  GraphOptions known;
  if (!graph.weights.empty()) known.weight = weight_field;
  if (!graph.edge_weights.empty()) known.edge_weight = edge_weights;
  if (!graph.uncuttable.empty()) known.uncuttable = uncuttable;
  if (!graph.fixed.empty()) known.fixed = fixed;
  if (!graph.positions.empty()) known.position = position_field;
  GraphCutOptions all = options;
  if (!from.empty()) all.from = from_there;
  const GraphCut cut = cut_graph(test::space(), ranks, evenkeel::graph(offsets, columns, known), all, method);
  const std::vector<int> parts = cut.parts.on_host();
  return {ranks.all_gather(std::span<const int>(parts)).values, cut.report};
}

std::int64_t cut_edges(const GraphOnHost& graph, const std::vector<int>& parts) {
  std::int64_t cut = 0;
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (const std::int64_t u : graph.row(v)) cut += parts[std::size_t(u)] != parts[std::size_t(v)] ? 1 : 0;
  return cut / 2;
}

double lambda_of_parts(const GraphOnHost& graph, const std::vector<int>& parts, int count,
                       int constraint = 0) {
  std::vector<double> weights(std::size_t(count), 0.0);
  for (std::int64_t v = 0; v < graph.size(); ++v)
    weights[std::size_t(parts[std::size_t(v)])] += graph.weight(v, constraint);
  return lambda_of(weights);
}

int empty_parts(const std::vector<int>& parts, int count) {
  std::vector<int> seen(std::size_t(count), 0);
  for (const int part : parts) seen[std::size_t(part)] = 1;
  return static_cast<int>(std::count(seen.begin(), seen.end(), 0));
}

// What holds for every cut, whatever the graph.
void expect_sound(const GraphOnHost& graph, const Cut& cut, int parts, double tolerance = 0.03) {
  ASSERT_EQ(std::ssize(cut.parts), graph.size());
  for (const int part : cut.parts) ASSERT_TRUE(part >= 0 && part < parts);
  EXPECT_EQ(cut.report.parts, parts);
  EXPECT_EQ(cut.report.vertices, graph.size());
  EXPECT_EQ(cut.report.broken, 0);
  EXPECT_EQ(cut.report.empty, empty_parts(cut.parts, parts));
  if (graph.size() >= parts && graph.uncuttable.empty() && graph.fixed.empty()) {
    EXPECT_EQ(cut.report.empty, 0);
  }
  for (int c = 0; c < graph.constraints; ++c) {
    const double lambda = lambda_of_parts(graph, cut.parts, parts, c);
    EXPECT_NEAR(cut.report.lambda[std::size_t(c)], lambda, 1e-6);
    EXPECT_GE(lambda, cut.report.bound[std::size_t(c)] - 1e-9);
    EXPECT_LE(lambda, std::max(1 + tolerance, cut.report.bound[std::size_t(c)]) + 1e-9);
  }
}

TEST(CutGraph, CutsAGrid) {
  const GraphOnHost grid = test::grid(60, 50);
  for (const Effort effort : {Effort::polish, Effort::fast, Effort::good})
    for (const int parts : {1, 2, 3, 8, 16}) {
      const Cut cut = cut_of(grid, {.parts = parts}, {.effort = effort});
      expect_sound(grid, cut, parts);
      EXPECT_EQ(cut.report.cut_edges, cut_edges(grid, cut.parts));
      EXPECT_EQ(cut.report.cut, static_cast<double>(cut.report.cut_edges));
      // Squares of equal area have this many edges between them.
      const double ideal = std::sqrt(3000.0 * parts) * 2 * (1 - 1 / std::sqrt(parts));
      EXPECT_LE(cut.report.cut, ideal * (effort == Effort::good ? 1.25 : 1.45) + 1) << parts;
    }
}

TEST(CutGraph, IsTheSameForAllRanksAndSpaces) {
  std::uint64_t hash = 0;
  for (const GraphOnHost& graph : {test::grid(97, 61), test::random_mesh(4000, 3)})
    for (const Effort effort : {Effort::fast, Effort::good}) {
      const Cut cut = cut_of(graph, {.parts = 12}, {.effort = effort});
      for (const int part : cut.parts) hash = test::mix(hash + static_cast<std::uint64_t>(part));
    }
  EXPECT_EQ(hash, 0x0U) << std::hex << hash;
}

TEST(CutGraph, TakesGraphsOfAllKinds) {
  const std::vector<std::pair<const char*, GraphOnHost>> graphs = {
      {"nothing", test::edgeless(0)},        {"one vertex", test::edgeless(1)},
      {"isolated", test::edgeless(1000)},    {"star", test::star(2000)},
      {"path", test::path(1000)},            {"two pieces", test::pieces(2, 300)},
      {"many pieces", test::pieces(200, 7)}, {"complete", test::complete(40)},
      {"few vertices", test::path(5)}};
  for (const auto& [name, graph] : graphs)
    for (const int parts : {1, 2, 7, 64})
      for (const Effort effort : {Effort::fast, Effort::good}) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(parts) + " parts");
        const Cut cut = cut_of(graph, {.parts = parts}, {.effort = effort});
        expect_sound(graph, cut, parts);
      }
}

}  // namespace
}  // namespace evenkeel
