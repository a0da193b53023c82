#include "core/graph/graphs.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/graph.hpp>

namespace evenkeel::graph_test {
namespace {

using test::GraphOnHost;
using test::Part;
using test::share_of;

struct Cut {
  std::vector<int> parts;  // of all vertices, on all ranks
  GraphReport report;
};

// Cuts the share of this rank. The data do not depend on the number of ranks.
Cut cut_by(const Communicator& ranks, const Space& space, const GraphOnHost& graph,
           const GraphCutOptions& options, const ByGraph& method, const std::vector<int>& from) {
  const Part mine = share_of(graph, ranks.rank(), ranks.size());
  const auto there = [&]<class T>(const std::vector<T>& values) {
    return test::array_of(values, space);
  };
  const auto offsets = there(mine.offsets), columns = there(mine.columns);
  const auto weights = there(mine.weights);
  const auto edge_weights = there(mine.edge_weights);
  const auto uncuttable = there(mine.uncuttable);
  const auto fixed = there(mine.fixed);
  const auto positions = there(mine.positions);
  const auto from_there =
      there(test::slice(from, mine.first, mine.first + std::ssize(mine.offsets) - 1));
  const auto weight_field = test::rows_of_numbers(weights, graph.constraints);
  const auto position_field = test::rows_of_numbers(positions, 2);
  GraphOptions known;
  if (!graph.weights.empty()) known.weight = weight_field;
  if (!graph.edge_weights.empty()) known.edge_weight = edge_weights;
  if (!graph.uncuttable.empty()) known.uncuttable = uncuttable;
  if (!graph.fixed.empty()) known.fixed = fixed;
  if (!graph.positions.empty()) known.position = position_field;
  GraphCutOptions all = options;
  if (!from.empty()) all.from = from_there;
  const GraphCut cut =
      cut_graph(space, ranks, evenkeel::graph(offsets, columns, known), all, method);
  const std::vector<int> parts = cut.parts.on_host();
  return {ranks.all_gather(std::span<const int>(parts)).values, cut.report};
}

Cut cut_of(const GraphOnHost& graph, const GraphCutOptions& options, const ByGraph& method = {},
           const std::vector<int>& from = {}) {
  return cut_by(test::world(), test::space(), graph, options, method, from);
}

// Cuts the whole graph on one rank.
Cut cut_alone(const GraphOnHost& graph, const GraphCutOptions& options, const ByGraph& method,
              const std::vector<int>& from = {}) {
  return cut_by(Communicator::self(), Space::where(MemoryKind::host), graph, options, method, from);
}

std::int64_t cut_edges(const GraphOnHost& graph, const std::vector<int>& parts) {
  std::int64_t cut = 0;
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (const std::int64_t u : graph.row(v))
      cut += parts[std::size_t(u)] != parts[std::size_t(v)] ? 1 : 0;
  return cut / 2;
}

double cut_weight(const GraphOnHost& graph, const std::vector<int>& parts) {
  double cut = 0;
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (std::int64_t e = graph.offsets[std::size_t(v)]; e < graph.offsets[std::size_t(v) + 1]; ++e)
      if (parts[std::size_t(graph.columns[std::size_t(e)])] != parts[std::size_t(v)])
        cut += graph.edge_weights[std::size_t(e)];
  return cut / 2;
}

// Sums over all vertices the number of other parts next to a vertex.
std::int64_t volume(const GraphOnHost& graph, const std::vector<int>& parts) {
  std::int64_t sum = 0;
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    std::set<int> all = {parts[std::size_t(v)]};
    for (const std::int64_t u : graph.row(v)) all.insert(parts[std::size_t(u)]);
    sum += std::ssize(all) - 1;
  }
  return sum;
}

// Checks properties that every cut must have, for any graph.
void expect_sound(const GraphOnHost& graph, const Cut& cut, int parts, double target = 1.03) {
  ASSERT_EQ(std::ssize(cut.parts), graph.size());
  for (const int part : cut.parts) ASSERT_TRUE(part >= 0 && part < parts);
  EXPECT_EQ(cut.report.parts, parts);
  EXPECT_EQ(cut.report.vertices, graph.size());
  EXPECT_EQ(cut.report.broken, 0);
  EXPECT_EQ(cut.report.empty, test::empty_parts(cut.parts, parts));
  EXPECT_EQ(cut.report.cut_edges, cut_edges(graph, cut.parts));
  EXPECT_EQ(cut.report.volume, volume(graph, cut.parts));
  if (!graph.edge_weights.empty()) {
    const double exact = cut_weight(graph, cut.parts);
    EXPECT_NEAR(cut.report.cut, exact, 1e-12 * exact);
  }
  if (graph.size() >= parts && graph.uncuttable.empty() && graph.fixed.empty()) {
    EXPECT_EQ(cut.report.empty, 0);
  }
  for (int c = 0; c < graph.constraints; ++c) {
    const double lambda = test::lambda_of_parts(graph, cut.parts, parts, c);
    EXPECT_NEAR(cut.report.lambda[std::size_t(c)], lambda, 1e-6);
    EXPECT_GE(lambda, cut.report.bound[std::size_t(c)] - 1e-9);
    EXPECT_LE(lambda, std::max(target, cut.report.bound[std::size_t(c)]) + 1e-9);
  }
}

// Many ranks on few cores are slow if there are many small steps. So is the test device, which
// locks and unlocks its memory. Two ranks on the host suffice to test a search.
bool is_on_test_device() { return test::space().name() == "TestDevice"; }
bool is_slow() { return test::size() > 2 || is_on_test_device(); }
const std::vector<Effort>& efforts() {
  static const std::vector<Effort> all = {Effort::good, Effort::fast, Effort::polish, Effort::best};
  static const std::vector<Effort> some = {Effort::good};
  return is_slow() ? some : all;
}
// On the test device, one rank tests how good cuts are.
bool is_left_out() { return is_on_test_device() && test::size() > 1; }
template <class Case>
std::vector<Case> some_of(std::vector<Case> cases) {
  if (is_slow()) cases.erase(cases.begin(), cases.end() - (is_on_test_device() ? 1 : 2));
  return cases;
}

// A few heavy vertices have nearly all the weight, and there may be fewer of them than parts. The
// fullest part must have as few of them as possible.
TEST(CutGraph, VerticesThatFillAllParts) {
  for (const int heavy : {1, 2, 3, 5})
    for (const int parts : {1, 2, 3}) {
      GraphOnHost graph = test::grid(12, 12);
      graph.weights.assign(std::size_t(graph.size()), 1e-6);
      for (int i = 0; i < heavy; ++i) graph.weights[std::size_t(i * 29)] = 100;
      const Cut cut = cut_of(graph, {.parts = parts});
      const double most = (heavy + parts - 1) / parts;  // in the fullest part, at least
      expect_sound(graph, cut, parts, std::max(1.03, most * parts / heavy + 0.001));
    }
}

// The arrays are longer than the number of vertices. Values behind the vertices must not be read.
TEST(CutGraph, CountsTheVerticesThatItIsTold) {
  const Communicator ranks = test::world();
  const GraphOnHost whole = test::grid(20, 12);
  Part mine = share_of(whole, ranks.rank(), ranks.size());
  const std::int64_t count = std::ssize(mine.offsets) - 1;
  std::vector<double> weights(std::size_t(count), 1.0);
  const auto parts_of = [&](const GraphOptions& known) {
    return cut_graph(Space::where(MemoryKind::host), ranks,
                     graph(mine.offsets, mine.columns, known), {.parts = 4})
        .parts.on_host();
  };
  const std::vector<int> exact = parts_of({.weight = weights});
  mine.offsets.resize(mine.offsets.size() + 7, -1);
  mine.columns.resize(mine.columns.size() + 3, -5);
  weights.resize(weights.size() + 9, -1.0);
  EXPECT_EQ(parts_of({.count = count, .weight = weights}), exact);
  EXPECT_ERROR(parts_of({.weight = weights}), "The offsets of rows");
  EXPECT_ERROR(parts_of({.count = count + 20, .weight = weights}), "offsets in 'std::vector' for ");
  EXPECT_ERROR(parts_of({.count = -1, .weight = weights}), "offsets in 'std::vector' for -1 vert");
}

// The loads that ranks have measured must scale the weights of their vertices.
TEST(CutGraph, ScalesWeightsToLoads) {
  const Communicator ranks = test::world();
  const GraphOnHost whole = test::grid(30, 20);
  const Part mine = share_of(whole, ranks.rank(), ranks.size());
  const std::int64_t count = std::ssize(mine.offsets) - 1;
  const double load = 1.0 + ranks.rank();
  const GraphCut cut = cut_graph(Space::where(MemoryKind::host), ranks,
                                 graph(mine.offsets, mine.columns), {.parts = 4, .load = load});
  std::vector<double> loads(4, 0.0);
  for (const int part : cut.parts.on_host())
    loads[std::size_t(part)] += load / static_cast<double>(count);
  ranks.all_reduce(std::span<double>(loads), Reduction::sum);
  EXPECT_LE(lambda_of(loads), 1.031);
  EXPECT_NEAR(lambda_of(loads), cut.report.lambda.front(), 1e-6);
  const auto cut_with = [&](double given) {
    cut_graph(Space::where(MemoryKind::host), ranks, graph(mine.offsets, mine.columns),
              {.parts = 4, .load = given});
  };
  EXPECT_ERROR(cut_with(-1), "The load of this rank");
  EXPECT_ERROR(cut_with(std::numeric_limits<double>::infinity()), "The load of this rank");
}

TEST(CutGraph, CutsAGrid) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost grid = test::grid(60, 50);
  for (const Effort effort : efforts())
    for (const int parts : some_of<int>({1, 2, 3, 8, 16})) {
      const Cut cut = cut_of(grid, {.parts = parts}, {.effort = effort});
      expect_sound(grid, cut, parts);
      EXPECT_EQ(cut.report.cut_edges, cut_edges(grid, cut.parts));
      EXPECT_EQ(cut.report.cut, static_cast<double>(cut.report.cut_edges));
      // If parts were squares of equal area, this many edges would be between them.
      const double ideal = std::sqrt(3000.0 * parts) * 2 * (1 - 1 / std::sqrt(parts));
      EXPECT_LE(cut.report.cut, ideal * (effort == Effort::good ? 1.3 : 1.45) + 1) << parts;
    }
}

TEST(CutGraph, IsTheSameForAllRanksAndSpaces) {
  const std::int64_t share = is_on_test_device() ? 2 : 1;
  GraphOnHost heavy = test::random_mesh(3000 / share, 8);
  for (std::int64_t v = 0; v < heavy.size(); ++v)
    heavy.weights.push_back(static_cast<double>(test::mix(v, 1) % 9));
  for (std::int64_t v = 0; v < heavy.size(); ++v)
    for (const std::int64_t u : heavy.row(v))
      heavy.edge_weights.push_back(
          static_cast<double>(test::mix(std::min(u, v), int(std::max(u, v))) % 5));
  for (const GraphOnHost& graph : {test::grid(97, 61 / share), test::random_mesh(4000 / share, 3),
                                   heavy, test::star(500), test::pieces(100, 5)})
    for (const Effort effort : efforts()) {
      const Cut cut = cut_of(graph, {.parts = 12}, {.effort = effort});
      const ByGraph method{.effort = effort};
      const Cut alone = cut_alone(graph, {.parts = 12}, method);
      EXPECT_EQ(cut.parts, alone.parts);
      EXPECT_EQ(cut.report.volume, alone.report.volume);
      EXPECT_EQ(cut.report.most_neighbours, alone.report.most_neighbours);
      EXPECT_EQ(cut_of(graph, {.parts = 10}, method, cut.parts).parts,
                cut_alone(graph, {.parts = 10}, method, cut.parts).parts);
    }
}

// Weights differ by a factor of 50, and some are 0.
GraphOnHost weighted(GraphOnHost graph, int constraints) {
  graph.constraints = constraints;
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (int c = 0; c < constraints; ++c) {
      const auto draw = static_cast<double>(test::mix(v, 7 + c) % 64);
      graph.weights.push_back(draw < 4 ? 0 : draw < 58 ? 1 + draw / 16 : draw);
    }
  return graph;
}

// Effort::best keeps the cut of Effort::good until it finds a better one. Effort::good is better
// than Effort::fast on nearly all graphs, so on these together.
TEST(CutGraph, CutsLessWithMoreEffort) {
  if (is_left_out()) GTEST_SKIP();
  const std::int64_t share = is_slow() ? 3 : 1;
  const std::vector<double> speeds = {1, 2, 4, 1, 2, 4, 8};
  double good_edges = 0, fast_edges = 0;
  for (const bool has_speeds : {false, true})
    for (const GraphOnHost& graph : some_of<GraphOnHost>(
             {test::grid(120 / share, 90), test::random_mesh(9000 / share, 5),
              weighted(test::random_mesh(6000 / share, 8), 1), test::pieces(90 / share, 40)})) {
      GraphCutOptions options{.parts = 7};
      if (has_speeds) options.speeds = speeds;
      const Cut best = cut_of(graph, options, {.effort = Effort::best});
      const Cut good = cut_of(graph, options, {.effort = Effort::good});
      const Cut fast = cut_of(graph, options, {.effort = Effort::fast});
      EXPECT_LE(best.report.cut, good.report.cut);
      good_edges += good.report.cut;
      fast_edges += fast.report.cut;
      EXPECT_EQ(best.report.empty, 0);
      EXPECT_EQ(best.parts, cut_alone(graph, options, {.effort = Effort::best}).parts);
    }
  if (is_slow()) return;  // only some of the graphs have been cut
  EXPECT_LT(good_edges, fast_edges);
}

// Nearly all vertices want to enter the part with the greatest hub. If they may, three of four
// edges are cut in the end.
TEST(CutGraph, HubsDoNotDrawAllVertices) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost graph = test::with_hubs(is_slow() ? 9 : 12, 12);
  for (const int parts : {2, 8}) {
    const Cut cut = cut_of(graph, {.parts = parts});
    expect_sound(graph, cut, parts);
    EXPECT_EQ(cut.parts, cut_alone(graph, {.parts = parts}, {}).parts);
    if (parts == 2 || is_slow()) continue;
    EXPECT_LT(cut.report.cut, 0.65 * static_cast<double>(graph.columns.size() / 2));
  }
}

// The cut along the curve is better on grids, and the other one on most meshes.
TEST(CutGraph, PositionsNeverHarm) {
  if (is_left_out()) GTEST_SKIP();
  double with = 0, without = 0;
  for (const Effort effort : efforts()) {
    if (effort == Effort::polish) continue;
    for (GraphOnHost graph :
         some_of<GraphOnHost>({test::random_mesh(6000, 5), weighted(test::random_mesh(3000, 8), 1),
                               test::grid(64, 64)})) {
      const Cut placed = cut_of(graph, {.parts = 16}, {.effort = effort});
      expect_sound(graph, placed, 16);
      EXPECT_EQ(placed.parts, cut_alone(graph, {.parts = 16}, {.effort = effort}).parts);
      graph.positions.clear();
      const Cut cut = cut_of(graph, {.parts = 16}, {.effort = effort});
      if (effort != Effort::best) {
        EXPECT_LE(placed.report.cut, cut.report.cut);
      }
      with += placed.report.cut;
      without += cut.report.cut;
    }
  }
  EXPECT_LT(with, without);
  const GraphOnHost few = test::grid(2, 1);  // most ranks have no vertices
  for (const Effort effort : all_efforts)
    expect_sound(few, cut_of(few, {.parts = 2}, {.effort = effort}), 2);
}

// With Kokkos Kernels, one rank has enough vertices to reorder them; five ranks do not.
TEST(CutGraph, IsTheSameInAnyOrderOfMemory) {
  GraphOnHost graph = test::random_mesh(80000, 3);
  graph.positions.clear();
  for (std::int64_t v = 0; v < graph.size(); ++v) graph.weights.push_back(double(1 + v % 7));
  for (const bool has_uncuttable : {false, true}) {
    if (has_uncuttable)
      for (std::int64_t v = 0; v < graph.size(); ++v)
        for (const std::int64_t u : graph.row(v))
          graph.uncuttable.push_back(u % 50 == 0 && v % 50 == 0 ? 1 : 0);
    const ByGraph method{.effort = Effort::fast};
    const Cut cut = cut_of(graph, {.parts = 6}, method);
    const Cut alone = cut_alone(graph, {.parts = 6}, method);
    EXPECT_EQ(cut.parts, alone.parts);
    EXPECT_EQ(cut.report.cut, alone.report.cut);
    EXPECT_EQ(cut.report.volume, alone.report.volume);
    EXPECT_EQ(cut_of(graph, {.parts = 5}, method, cut.parts).parts,
              cut_alone(graph, {.parts = 5}, method, cut.parts).parts);
  }
}

TEST(CutGraph, TakesGraphsOfAllKinds) {
  const std::vector<std::pair<const char*, GraphOnHost>> graphs = {
      {"nothing", test::edgeless(0)},
      {"one vertex", test::edgeless(1)},
      {"isolated", test::edgeless(1000)},
      {"star", test::star(2000)},
      {"path", test::path(1000)},
      {"two pieces", test::pieces(2, 300)},
      {"many pieces", test::pieces(200, 7)},
      {"complete", test::complete(40)},
      {"few vertices", test::path(5)}};
  for (const auto& [name, graph] : graphs)
    for (const int parts : some_of<int>({1, 2, 7, 64}))
      for (const Effort effort : efforts()) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(parts) + " parts");
        const Cut cut = cut_of(graph, {.parts = parts}, {.effort = effort});
        expect_sound(graph, cut, parts);
      }
}

// The graph is too large to be gathered. So vertices without a neighbour to pair with must be
// merged, too.
TEST(CutGraph, CoarsensWhatHasNoPairs) {
  for (const auto& [name, graph] :
       std::vector<std::pair<const char*, GraphOnHost>>{{"isolated", test::edgeless(60'000)},
                                                        {"star", test::star(60'000)},
                                                        {"pieces", test::pieces(12'000, 4)}}) {
    SCOPED_TRACE(name);
    expect_sound(graph, cut_of(graph, {.parts = 24}), 24);
  }
}

TEST(CutGraph, BalancesWeights) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost graph = weighted(test::random_mesh(6000, 5), 1);
  for (const int parts : some_of<int>({2, 8, 40}))
    expect_sound(graph, cut_of(graph, {.parts = parts}), parts);
}

// Gives the vertices, beginning with the heaviest, to the lightest part. Returns lambda.
double lambda_of_greedy(std::vector<double> weights, int parts) {
  std::ranges::sort(weights, std::greater<>());
  std::vector<double> sums(std::size_t(parts), 0.0);
  for (const double weight : weights) *std::ranges::min_element(sums) += weight;
  return lambda_of(sums);
}

// With about ten vertices in a part, few moves are possible. Without edges, that is no excuse.
TEST(CutGraph, MeetsTheTargetWithFewVerticesPerPart) {
  if (is_left_out()) GTEST_SKIP();
  const int cases = is_on_test_device() ? 4 : is_slow() ? 10 : 40;
  for (int draw = 0; draw < cases; ++draw)
    for (const bool has_edges : {false, true}) {
      SCOPED_TRACE(std::to_string(draw) + (has_edges ? " with edges" : ""));
      const int parts = 2 + static_cast<int>(test::mix(draw, 1) % 30);
      const std::int64_t vertices = parts * (8 + static_cast<int>(test::mix(draw, 2) % 6));
      GraphOnHost graph = has_edges ? test::path(vertices) : test::edgeless(vertices);
      for (std::int64_t v = 0; v < vertices; ++v) {
        const double share = static_cast<double>(test::mix(v, 100 + draw) >> 11U) * 0x1p-53;
        graph.weights.push_back(draw % 2 == 0 ? 0.5 + share : -std::log(1 - share));
      }
      const Effort effort = efforts()[std::size_t(draw) % efforts().size()];
      const Cut cut = cut_of(graph, {.parts = parts}, {.effort = effort});
      expect_sound(graph, cut, parts, std::max(1.03, lambda_of_greedy(graph.weights, parts)));
      EXPECT_EQ(cut.parts, cut_alone(graph, {.parts = parts}, {.effort = effort}).parts);
    }
}

// There are 2 n + 1 heavy vertices for n parts, so some part has three of them.
TEST(CutGraph, ReportsABoundOfWholeVertices) {
  for (const int parts : {2, 7}) {
    GraphOnHost graph = test::edgeless(2 * parts + 1 + 5 * parts);
    graph.weights.assign(std::size_t(graph.size()), 0.25);
    std::fill_n(graph.weights.begin(), 2 * parts + 1, 3.0);
    const Cut cut = cut_of(graph, {.parts = parts});
    expect_sound(graph, cut, parts);
    const double average = (3.0 * (2 * parts + 1) + 0.25 * 5 * parts) / parts;
    EXPECT_NEAR(cut.report.bound[0], 9 / average, 1e-9);
    EXPECT_NEAR(cut.report.lambda[0], 9 / average, 1e-9);
  }
}

TEST(CutGraph, BalancesSeveralConstraints) {
  if (is_left_out()) GTEST_SKIP();
  for (const int constraints : {2, 3}) {
    const GraphOnHost graph = weighted(test::random_mesh(6000, 6), constraints);
    for (const int parts : some_of<int>({2, 8}))
      expect_sound(graph, cut_of(graph, {.parts = parts}, {.target_lambda = 1.05}), parts, 1.05);
  }
}

TEST(CutGraph, ReportsTheBoundOfAHeavyVertex) {
  GraphOnHost graph = test::grid(30, 30);
  graph.weights.assign(900, 1);
  graph.weights[450] = 500;
  const Cut cut = cut_of(graph, {.parts = 8});
  expect_sound(graph, cut, 8);
  EXPECT_NEAR(cut.report.bound[0], 500.0 * 8 / 1399, 1e-9);
}

TEST(CutGraph, NeverCutsWhatIsUncuttable) {
  if (is_left_out()) GTEST_SKIP();
  GraphOnHost graph = test::grid(64, 64);
  // Bound edges form vertical bars of four, and one lump of a quarter of a part.
  const auto is_bound = [](std::int64_t v, std::int64_t u) {
    const bool is_bar = v % 64 == u % 64 && v / 64 / 4 == u / 64 / 4 && v % 64 % 5 == 0;
    const bool is_lump = v % 64 < 8 && u % 64 < 8 && v / 64 < 8 && u / 64 < 8;
    return is_bar || is_lump;
  };
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (const std::int64_t u : graph.row(v)) graph.uncuttable.push_back(is_bound(v, u) ? 1 : 0);
  for (const int parts : some_of<int>({3, 16, 60})) {
    const Cut cut = cut_of(graph, {.parts = parts});
    expect_sound(graph, cut, parts);
    EXPECT_EQ(cut.report.empty, 0);
    for (std::int64_t v = 0; v < graph.size(); ++v)
      for (const std::int64_t u : graph.row(v))
        if (is_bound(v, u)) {
          ASSERT_EQ(cut.parts[std::size_t(v)], cut.parts[std::size_t(u)]);
        }
  }
  // Infinite weights have the same effect as marks.
  GraphOnHost infinite = graph;
  infinite.uncuttable.clear();
  for (const int mark : graph.uncuttable)
    infinite.edge_weights.push_back(mark != 0 ? std::numeric_limits<double>::infinity() : 1);
  EXPECT_EQ(cut_of(infinite, {.parts = 16}).report.broken, 0);
}

// Four squares in a grid of 96 by 96 must not be cut. Returns the square of a vertex, or -1.
int square_of(std::int64_t v) {
  const std::int64_t x = v % 96 - 12, y = v / 96 - 12;
  const bool is_inside = x >= 0 && y >= 0 && x % 48 < 24 && y % 48 < 24;
  return is_inside ? static_cast<int>(y / 48 * 2 + x / 48) : -1;
}
GraphOnHost grid_with_squares() {
  GraphOnHost graph = test::grid(96, 96);
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (const std::int64_t u : graph.row(v))
      graph.uncuttable.push_back(square_of(v) >= 0 && square_of(v) == square_of(u) ? 1 : 0);
  return graph;
}
std::set<int> parts_of_squares(const std::vector<int>& parts) {
  std::set<int> found;
  for (std::size_t v = 0; v < parts.size(); ++v)
    if (square_of(static_cast<std::int64_t>(v)) >= 0) found.insert(parts[v]);
  return found;
}

// A part that a lump fills can neither grow nor shrink. The other parts must be cut as if the lump
// were missing.
TEST(CutGraph, CutsAroundLumps) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost graph = grid_with_squares();
  for (const int parts : some_of<int>({12, 16, 17})) {  // lumps of 0.75, 1 and 1.06 average parts
    const Cut cut = cut_of(graph, {.parts = parts});
    expect_sound(graph, cut, parts);
    EXPECT_EQ(cut.report.empty, 0);
    EXPECT_EQ(parts_of_squares(cut.parts).size(), 4U);
    // 16 square parts would cut 576 edges. Parts around lumps are not square, so the test allows a
    // quarter more.
    EXPECT_LE(cut_edges(graph, cut.parts), 720);
  }
}

// If a part has all lumps, it must give away all except one.
TEST(CutGraph, PartsGiveLumpsAway) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost graph = grid_with_squares();
  std::vector<int> from(std::size_t(graph.size()));
  for (std::int64_t v = 0; v < graph.size(); ++v)
    from[std::size_t(v)] = square_of(v) >= 0 ? 3 : static_cast<int>(v / 96 / 8);
  for (const Effort effort : efforts()) {
    const Cut cut = cut_of(graph, {.parts = 12}, {.effort = effort}, from);
    expect_sound(graph, cut, 12);
    EXPECT_EQ(parts_of_squares(cut.parts).size(), 4U);
  }
}

TEST(CutGraph, KeepsFixedVerticesInTheirParts) {
  GraphOnHost graph = test::grid(50, 40);
  graph.fixed.assign(2000, -1);
  for (const std::int64_t v : {0, 1, 49, 1000, 1999})
    graph.fixed[std::size_t(v)] = static_cast<int>(v % 5);
  for (const Effort effort : efforts()) {
    const Cut cut = cut_of(graph, {.parts = 5}, {.effort = effort});
    expect_sound(graph, cut, 5);
    for (std::int64_t v = 0; v < graph.size(); ++v)
      if (graph.fixed[std::size_t(v)] >= 0) {
        EXPECT_EQ(cut.parts[std::size_t(v)], graph.fixed[std::size_t(v)]);
      }
  }
}

// Sets the weights of edges by their ends; weight_of(v, u) must equal weight_of(u, v).
template <class WeightOf>
void weigh_edges(GraphOnHost& graph, const WeightOf& weight_of) {
  graph.edge_weights.clear();
  for (std::int64_t v = 0; v < graph.size(); ++v)
    for (const std::int64_t u : graph.row(v)) graph.edge_weights.push_back(weight_of(v, u));
}

// The report must have the given weights, whatever their range is.
TEST(CutGraph, ReportsTheGivenWeightsOfCutEdges) {
  GraphOnHost graph = test::grid(24, 20);
  for (const double heavy : some_of<double>({1.0, 1e9, 1e200}))
    for (const double light : some_of<double>({0.7, 3.0, 0.0, 1e-9})) {
      SCOPED_TRACE(std::to_string(heavy) + " and " + std::to_string(light));
      weigh_edges(graph, [&](std::int64_t v, std::int64_t u) {
        if (v + u == 2 * 100 + 1) return heavy;
        return (v + u) % 3 == 0 ? 1 : light;
      });
      for (const int parts : {2, 5}) {
        const Cut cut = cut_of(graph, {.parts = parts});
        expect_sound(graph, cut, parts);
        EXPECT_EQ(cut.report.cut, cut_alone(graph, {.parts = parts}, {}).report.cut);
        EXPECT_EQ(cut.report.edges, std::ssize(graph.columns) / 2);
        EXPECT_EQ(cut.report.isolated, 0);
        EXPECT_LT(cut.report.cut, 200);  // and so the heavy edge of 1e9 is not cut
      }
    }
  // Without any weight, the edges still count.
  weigh_edges(graph, [](std::int64_t, std::int64_t) { return 0.0; });
  const Cut cut = cut_of(graph, {.parts = 4});
  expect_sound(graph, cut, 4);
  EXPECT_EQ(cut.report.cut, 0);
  EXPECT_GT(cut.report.cut_edges, 0);
}

// Columns of a grid are connected by edges of 100, neighbouring columns by edges of 1. A single
// very heavy edge must not hide that difference.
TEST(CutGraph, TellsEdgesApartBesideAHeavyEdge) {
  GraphOnHost graph = test::grid(16, 16);
  for (const double heavy : {1e2, 1e9, 1e18, 1e-15}) {
    weigh_edges(graph, [&](std::int64_t v, std::int64_t u) {
      if (v + u == 2 * 20 + 16) return heavy;
      return v % 16 == u % 16 ? 100.0 : 1.0;
    });
    for (const Effort effort : {Effort::fast, Effort::good}) {
      const Cut cut = cut_of(graph, {.parts = 4}, {.effort = effort});
      expect_sound(graph, cut, 4);
      EXPECT_EQ(cut.report.cut, 48);
      // A vertex in the wrong part goes back, although the average weight is large.
      std::vector<int> from = cut.parts;
      std::swap(from[16 * 8], from[16 * 8 + 15]);
      EXPECT_EQ(cut_of(graph, {.parts = 4}, {.effort = effort}, from).report.cut, 48);
    }
  }
}

// Edges that must not be cut have no weight that counts for the average.
TEST(CutGraph, MovesVerticesBesideInfiniteEdges) {
  GraphOnHost graph = test::grid(12, 12);
  weigh_edges(graph, [](std::int64_t v, std::int64_t u) {
    return v / 2 == u / 2 ? std::numeric_limits<double>::infinity() : 1;
  });
  std::vector<int> from(std::size_t(graph.size()));
  for (std::size_t v = 0; v < from.size(); ++v) from[v] = v % 12 < 6 ? 0 : 1;
  from[12 * 5] = from[12 * 5 + 1] = 1;
  from[12 * 6 + 10] = from[12 * 6 + 11] = 0;
  const Cut cut = cut_of(graph, {.parts = 2}, {}, from);
  expect_sound(graph, cut, 2);
  EXPECT_EQ(cut.report.cut, 12);
  EXPECT_NEAR(cut.report.moved, 4.0 / 144, 1e-12);
}

TEST(CutGraph, MovesLittleWhereLittleMustMove) {
  if (is_left_out()) GTEST_SKIP();
  const std::int64_t vertices = is_on_test_device() ? 5'000 : 20'000;
  GraphOnHost graph = test::random_mesh(vertices, 9);
  const Cut first = cut_of(graph, {.parts = 16});
  // Without a change, almost nothing may move.
  const Cut again = cut_of(graph, {.parts = 16}, {}, first.parts);
  expect_sound(graph, again, 16);
  EXPECT_LE(again.report.moved, 0.06);
  EXPECT_LE(again.report.cut, first.report.cut);
  // One part becomes 1.4 times as heavy.
  graph.weights.assign(std::size_t(vertices), 1);
  for (std::int64_t v = 0; v < graph.size(); ++v)
    if (first.parts[std::size_t(v)] == 3) graph.weights[std::size_t(v)] = 1.4;
  const Cut then = cut_of(graph, {.parts = 16}, {}, first.parts);
  expect_sound(graph, then, 16);
  EXPECT_GT(then.report.least_moved_weight, 0.01);
  EXPECT_LE(then.report.moved_weight, 4 * then.report.least_moved_weight + 0.02);
  EXPECT_LE(then.report.cut, 1.1 * first.report.cut);
  std::int64_t moved = 0;
  for (std::size_t v = 0; v < first.parts.size(); ++v)
    moved += first.parts[v] != then.parts[v] ? 1 : 0;
  EXPECT_NEAR(then.report.moved, static_cast<double>(moved) / static_cast<double>(vertices), 1e-12);
  // Moving costs more than cutting.
  const Cut dear = cut_of(graph, {.parts = 16}, {.moving_cost = 4}, first.parts);
  EXPECT_LE(dear.report.moved, then.report.moved);
}

TEST(CutGraph, NewVerticesJoinTheirNeighbours) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost graph = test::grid(40, 40);
  std::vector<int> from(1600, -1);
  for (std::size_t v = 0; v < from.size(); ++v)
    if (v % 7 != 0) from[v] = v % 40 < 20 ? 0 : 1;
  const Cut cut = cut_of(graph, {.parts = 2}, {}, from);
  expect_sound(graph, cut, 2);
  EXPECT_EQ(cut.report.cut, 40);
  // Vertices that had no part have not left it.
  EXPECT_EQ(cut.report.moved, 0);
  EXPECT_EQ(cut.report.moved_weight, 0);
  // Parts that no longer exist must be ignored, even if all are such parts.
  const Cut gone = cut_of(graph, {.parts = 3}, {}, std::vector<int>(1600, 77));
  expect_sound(graph, gone, 3);
  EXPECT_EQ(gone.report.moved, 0);
  EXPECT_EQ(gone.report.least_moved_weight, 0);
  expect_sound(graph, cut_of(graph, {.parts = 4}, {}, std::vector<int>(1600, 0)), 4);
}

TEST(CutGraph, TakesMoreAndFewerPartsThanBefore) {
  if (is_left_out()) GTEST_SKIP();
  const GraphOnHost graph = test::random_mesh(5000, 11);
  for (const Effort effort : efforts())
    for (const auto& [before, after] :
         some_of<std::pair<int, int>>({{3, 4}, {5, 1}, {9, 8}, {4, 9}})) {
      SCOPED_TRACE(std::string(name_of(effort)) + ' ' + std::to_string(before) + " to " +
                   std::to_string(after));
      const Cut first = cut_of(graph, {.parts = before});
      const Cut next = cut_of(graph, {.parts = after}, {.effort = effort}, first.parts);
      expect_sound(graph, next, after);
      // The parts must not be scattered: they may cut at most twice the edges of a new cut.
      EXPECT_LE(next.report.cut, 2 * cut_of(graph, {.parts = after}).report.cut);
    }
}

// A rank with vertices but without edges must take part like the others.
TEST(CutGraph, KnowsEdgesOfSomeRanksAlone) {
  GraphOnHost graph = test::graph_of(40, {{0, 1}, {1, 2}, {0, 2}});
  graph.edge_weights = {2, 3, 2, 5, 3, 5};
  graph.uncuttable = {1, 0, 1, 0, 0, 0};
  const Cut cut = cut_of(graph, {.parts = 4});
  expect_sound(graph, cut, 4);
  EXPECT_EQ(cut.parts[0], cut.parts[1]);
}

TEST(CutGraph, LeavesNoPartEmpty) {
  const GraphOnHost graph = test::grid(20, 20);
  for (const int parts : {100, 200, 300, 400}) {
    const Cut cut = cut_of(graph, {.parts = parts}, {.target_lambda = 1.5});
    expect_sound(graph, cut, parts, 1.5);
  }
  GraphOnHost giant = graph;
  giant.weights.assign(400, 0.001);
  giant.weights[77] = 1000;
  EXPECT_EQ(cut_of(giant, {.parts = 200}).report.empty, 0);
  EXPECT_EQ(cut_of(test::path(3), {.parts = 8}).report.empty, 5);
}

TEST(CutGraph, MendsLoopsAndDuplicates) {
  GraphOnHost graph = test::path(4);
  graph.offsets = {0, 3, 5, 7, 8};
  graph.columns = {0, 1, 1, 0, 0, 3, 2, 2};
  const Cut cut = cut_of(graph, {.parts = 2});
  EXPECT_EQ(cut.report.loops, 2);
  EXPECT_EQ(cut.report.duplicates, 1);
  EXPECT_EQ(cut.report.edges, 2);
  // The same holds if vertices must stay together.
  graph.uncuttable = {0, 1, 1, 1, 1, 0, 0, 0};
  const Cut bound = cut_of(graph, {.parts = 2});
  EXPECT_EQ(bound.report.duplicates, 1);
  EXPECT_EQ(bound.report.broken, 0);
}

// No machine has the memory for these parts. The Error must come before any allocation.
TEST(CutGraph, RefusesPartsThatNeedTooMuchMemory) {
  GraphOnHost graph = test::path(20);
  graph.constraints = 8;
  graph.weights.assign(20 * 8, 1.0);
  EXPECT_ERROR_EVERYWHERE(cut_of(graph, {.parts = std::numeric_limits<int>::max()}),
                          "2147483647 parts of 20 vertices need 721 GiB of memory or more on each "
                          "rank, but a rank has only ");
}

TEST(CutGraph, TellsHowFarItIs) {
  std::vector<double> told;
  cut_of(test::grid(60, 60), {.parts = 4, .progress = [&](double done) { told.push_back(done); }});
  EXPECT_GE(told.size(), 6U);  // two for each of several levels
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.front(), 0);
  EXPECT_GT(told.back(), 0.5);
  EXPECT_LT(told.back(), 1);
}

TEST(CutGraph, EndsEverywhereWhereTellingFails) {
  const Communicator& ranks = test::world();
  for (const double moment : {0.0, 0.1, 0.5}) {
    const auto give_up = [&](double done) {
      if (done >= moment && ranks.rank() == ranks.size() - 1) throw std::runtime_error("enough");
    };
    EXPECT_ERROR_EVERYWHERE(cut_of(test::grid(60, 60), {.parts = 4, .progress = give_up}),
                            "enough");
  }
}

TEST(CutGraph, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& told, const auto& spoil) {
    GraphOnHost path = test::path(10);
    spoil(path);
    EXPECT_ERROR_EVERYWHERE(cut_of(path, {.parts = 2}), told);
  };
  refused("no reverse", [](auto& path) { path.columns[3] = 7; });
  refused("is vertex 10, but there are 10 vertices.", [](auto& path) { path.columns[0] = 10; });
  refused("is -1", [](auto& path) {
    path.weights.assign(10, 1);
    path.weights[9] = -1;
  });
  refused("another weight", [](auto& path) {
    path.edge_weights.assign(18, 1);
    path.edge_weights[4] = 2;
  });
  refused("is fixed in part 2, but there are 2", [](auto& path) { path.fixed.assign(10, 2); });
  refused("fixed in different parts", [](auto& path) {
    path.fixed.assign(10, -1);
    path.fixed[0] = 0;
    path.fixed[9] = 1;
    path.uncuttable.assign(18, 1);
  });
  EXPECT_ERROR_EVERYWHERE(cut_of(test::path(10), {.parts = -1}), "-1 parts");
  const auto by = [](const ByGraph& method) { cut_of(test::path(10), {.parts = 2}, method); };
  for (const double excess : {0.03, 0.99, 0.0, -1.0})
    EXPECT_ERROR_EVERYWHERE(by({.target_lambda = excess}),
                            "The target_lambda of the method graph is " + text_of(excess) +
                                ". Give a lambda (greatest over average) of at least 1: 1.03 "
                                "allows 3 % above the average.");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double target : {infinity, -infinity, infinity - infinity})
    EXPECT_ERROR_EVERYWHERE(by({.target_lambda = target}), "Give a lambda");
  EXPECT_ERROR_EVERYWHERE(by({.moving_cost = -1}),
                          "moving_cost or edge_seconds of the method graph is -1.");
  EXPECT_ERROR_EVERYWHERE(by({.edge_seconds = infinity}), "Give finite numbers of at least 0.");
}

}  // namespace
}  // namespace evenkeel::graph_test
