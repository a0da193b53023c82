#include "graph/levels/arrange.hpp"

#include "core/graph/graphs.hpp"
#include "graph/first/host_graph.hpp"

namespace evenkeel::graphs::arrange_test {
namespace {

// Makes a level on one rank. The names and weights of vertices, and the weights of edges, identify
// them.
Level level_with(const test::GraphOnHost& graph) {
  HostGraph host;
  host.offsets = graph.offsets;
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    host.names.push_back(static_cast<std::uint64_t>(7 * v + 1));
    host.weights.push_back(v % 5 + 1);
    for (const std::int64_t u : graph.row(v)) {
      host.columns.push_back(static_cast<Vertex>(u));
      host.edges.push_back(static_cast<EdgeUnits>(1 + (u + v) % 11));
    }
  }
  return level_of(host);
}

// Returns the mean distance in memory between the ends of an edge.
double mean_span(const Level& level) {
  double sum = 0;
  for (std::int64_t v = 0; v < level.owned; ++v)
    for (std::int64_t e = level.rows.offsets.data()[v]; e < level.rows.offsets.data()[v + 1]; ++e)
      sum += std::abs(static_cast<double>(level.rows.columns.data()[e] - v));
  return sum / static_cast<double>(level.rows.columns.size());
}

// Edges of a vertex by the names of its neighbours.
std::map<std::uint64_t, EdgeUnits> named_row(const Level& level, std::int64_t v) {
  std::map<std::uint64_t, EdgeUnits> row;
  for (std::int64_t e = level.rows.offsets.data()[v]; e < level.rows.offsets.data()[v + 1]; ++e)
    row[level.names.data()[level.rows.columns.data()[e]]] = level.rows.weights.data()[e];
  return row;
}

void expect_same_graph(const Level& before, const Contracted& after) {
  ASSERT_EQ(after.level.owned, before.owned);
  std::vector<int> places = after.coarse_of.on_host();
  for (std::int64_t v = 0; v < before.owned; ++v) {
    const auto place = std::int64_t{places[static_cast<std::size_t>(v)]};
    ASSERT_EQ(after.level.names.data()[place], before.names.data()[v]);
    ASSERT_EQ(after.level.weights.data()[place], before.weights.data()[v]);
    ASSERT_EQ(named_row(after.level, place), named_row(before, v)) << "vertex " << v;
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], static_cast<int>(i));
}

TEST(Arrange, BringsNeighboursTogether) {
  const Level level = level_with(test::random_mesh(80000, 1));
  const std::optional<Contracted> other = arranged(Communicator::self(), level);
  ASSERT_TRUE(other);
  expect_same_graph(level, *other);
  EXPECT_LT(mean_span(other->level), mean_span(level) / 20);
}

// The graph has several pieces, and vertices without neighbours. The members of a piece are far
// apart in memory.
TEST(Arrange, TakesWhatIsNotConnected) {
  constexpr std::int64_t count = 40001, step = 20011;  // coprime
  test::Edges edges;
  for (std::int64_t i = 0; i + 1 < count; ++i)
    if (i % 4 != 3 && i % 40 < 30) edges.emplace_back(i * step % count, (i + 1) * step % count);
  const Level level = level_with(test::graph_of(count, edges));
  const std::optional<Contracted> other = arranged(Communicator::self(), level);
  ASSERT_TRUE(other);
  expect_same_graph(level, *other);
}

TEST(Arrange, LeavesWhatIsNearAlready) {
  EXPECT_FALSE(arranged(Communicator::self(), level_with(test::grid(200, 200))));
  EXPECT_FALSE(arranged(Communicator::self(), level_with(test::random_mesh(10000, 1))));
  EXPECT_FALSE(arranged(Communicator::self(), level_with(test::edgeless(40000))));
  EXPECT_FALSE(arranged(Communicator::self(), level_with(test::edgeless(0))));
}

}  // namespace
}  // namespace evenkeel::graphs::arrange_test
