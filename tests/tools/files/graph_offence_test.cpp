#include "files/graph_offence.hpp"

#include "support/harness.hpp"

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel::tool::graph_offence_test {
namespace {

using GraphOffence = test::OnRanks;
// Neighbours of each vertex, and the weights of the edges, which may be missing.
struct Lists {
  std::vector<std::vector<std::int64_t>> neighbours;
  std::vector<std::vector<double>> weights = {};
};

GraphFile portion_of(const Communicator& communicator, const Lists& lists) {
  GraphFile graph;
  graph.vertices = std::ssize(lists.neighbours);
  const exec::Share mine = exec::share_of(graph.vertices, communicator.size(), communicator.rank());
  graph.first = mine.begin;
  for (std::int64_t v = mine.begin; v < mine.end; ++v) {
    const auto row = static_cast<std::size_t>(v);
    const auto& neighbours = lists.neighbours[row];
    graph.columns.insert(graph.columns.end(), neighbours.begin(), neighbours.end());
    if (!lists.weights.empty())
      graph.edge_weights.insert(graph.edge_weights.end(), lists.weights[row].begin(),
                                lists.weights[row].end());
    graph.offsets.push_back(std::ssize(graph.columns));
  }
  return graph;
}

std::string said_of(const Communicator& communicator, const Lists& lists) {
  const auto offence = first_offence(communicator, portion_of(communicator, lists));
  const std::string text = offence ? sentence_on(*offence, 1) : "fine";
  EXPECT_TRUE(test::same_everywhere(communicator, text));
  return text;
}

TEST_F(GraphOffence, Graphs) {
  EXPECT_EQ(said_of(communicator, {}), "fine");
  EXPECT_EQ(said_of(communicator, {{{}, {}}}), "fine");
  EXPECT_EQ(said_of(communicator, {{{2, 1}, {0}, {0}, {}}}), "fine");
  EXPECT_EQ(said_of(communicator, {{{2, 1}, {0}, {0}}, {{3, 4}, {4}, {3}}}), "fine");
}

TEST_F(GraphOffence, Kinds) {
  EXPECT_EQ(said_of(communicator, {{{1}, {0}, {2}}}), "Vertex 3 is its own neighbour.");
  EXPECT_EQ(said_of(communicator, {{{1, 2, 1}, {0, 0}, {0}}}),
            "Vertex 1 has the neighbour 2 twice.");
  EXPECT_EQ(said_of(communicator, {{{1}, {0, 3}, {}, {}}}),
            "Vertex 2 has the neighbour 4, but vertex 4 does not have the neighbour 2.");
  EXPECT_EQ(said_of(communicator, {{{1}, {0}, {}, {1}}}),
            "Vertex 4 has the neighbour 2, but vertex 2 does not have the neighbour 4.");
  EXPECT_EQ(said_of(communicator, {{{1}, {0, 2}, {1}}, {{1}, {1, 0.5}, {2}}}),
            "The edge between the vertices 2 and 3 weighs 0.5 in the row of the former and 2 in "
            "the row of the latter.");
}

TEST_F(GraphOffence, InTheNumbersOfTheFile) {
  EXPECT_EQ(sentence_on({OffenceKind::loop, 4, 4}, 0), "Vertex 4 is its own neighbour.");
  EXPECT_EQ(sentence_on({OffenceKind::loop, 4, 4}, 1), "Vertex 5 is its own neighbour.");
}

TEST_F(GraphOffence, TheFirstIsTold) {
  EXPECT_EQ(said_of(communicator, {{{}, {1, 5, 5}, {2}, {3}, {4}, {1}}}),
            "Vertex 2 is its own neighbour.");
  EXPECT_EQ(said_of(communicator, {{{}, {5, 0}, {2}, {3}, {4}, {1}}}),
            "Vertex 2 has the neighbour 1, but vertex 1 does not have the neighbour 2.");
}

// Removes one entry of a large symmetric graph, at several places in turn.
TEST_F(GraphOffence, OneEntryIsMissing) {
  std::mt19937_64 random(11);
  constexpr std::int64_t n = 500;
  std::vector<std::set<std::int64_t>> sets(n);
  for (int e = 0; e < 2000; ++e) {
    const auto a = random() % n, b = random() % n;
    if (a == b) continue;
    sets[a].insert(static_cast<std::int64_t>(b));
    sets[b].insert(static_cast<std::int64_t>(a));
  }
  Lists lists;
  for (const auto& set : sets) {
    lists.neighbours.emplace_back(set.begin(), set.end());
    std::ranges::shuffle(lists.neighbours.back(), random);
  }
  EXPECT_EQ(said_of(communicator, lists), "fine");
  for (int trial = 0; trial < 20; ++trial) {
    Lists broken = lists;
    auto& row = broken.neighbours[random() % n];
    if (row.empty()) continue;
    const std::int64_t vertex = &row - broken.neighbours.data(), neighbour = row.back();
    row.pop_back();
    const std::string a = std::to_string(neighbour + 1), b = std::to_string(vertex + 1);
    EXPECT_EQ(said_of(communicator, broken), "Vertex " + a + " has the neighbour " + b +
                                                 ", but vertex " + b +
                                                 " does not have the neighbour " + a + ".");
  }
}

}  // namespace
}  // namespace evenkeel::tool::graph_offence_test
