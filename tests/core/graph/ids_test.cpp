// Tests graphs whose vertices have ids, and the errors for edges without their reverse.

#include "core/graph/graphs.hpp"

#include <evenkeel/core/graph.hpp>

namespace evenkeel::ids_test {
namespace {

using test::GraphOnHost;
using test::Part;
using test::share_of;

// The share of this rank. If `has_empty_ranks` is true, the first and the last rank have no
// vertices.
Part my_share(const GraphOnHost& graph, bool has_empty_ranks = false) {
  if (!has_empty_ranks || test::size() < 3) return share_of(graph, test::rank(), test::size());
  if (test::rank() > 0 && test::rank() + 1 < test::size())
    return share_of(graph, test::rank() - 1, test::size() - 2);
  Part none;
  none.offsets = {0};
  return none;
}

// Ids are distinct and unordered. They are far apart, in both halves of the range of the type.
template <class Id>
Id scattered(std::int64_t v) {
  return static_cast<Id>(static_cast<std::uint64_t>(v + 5) * 0x9E3779B97F4A7C15U);
}

template <class Id>
std::vector<Id> ids_of(const Part& mine) {
  std::vector<Id> ids;
  for (std::int64_t v = 0; v + 1 < std::ssize(mine.offsets); ++v)
    ids.push_back(scattered<Id>(mine.first + v));
  return ids;
}
template <class Id, class Column>
std::vector<Column> columns_of(const Part& mine) {
  std::vector<Column> columns;
  for (const std::int64_t u : mine.columns)
    columns.push_back(static_cast<Column>(scattered<Id>(u)));
  return columns;
}

std::vector<int> parts_of_all(const Communicator& ranks, const GraphCut& cut) {
  const std::vector<int> parts = cut.parts.on_host();
  return ranks.all_gather(std::span<const int>(parts)).values;
}

// Grids are small, since 16 bits cannot hold distinct ids of many vertices.
GraphOnHost weighted_grid(std::int64_t width, std::int64_t height) {
  GraphOnHost graph = test::grid(width, height);
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    graph.weights.push_back(static_cast<double>(1 + test::mix(v, 3) % 5));
    graph.fixed.push_back(v == 7 ? 1 : -1);
    for (const std::int64_t u : graph.row(v)) {
      graph.edge_weights.push_back(static_cast<double>(1 + (u + v) % 3));
      graph.uncuttable.push_back((u + v) % 17 == 0 ? 1 : 0);
    }
  }
  return graph;
}

GraphCut cut_with(const Communicator& ranks, const Part& mine, const NumberSource& columns,
                  const NumberSource& id) {
  return cut_graph(test::space(), ranks,
                   graph(mine.offsets, columns,
                         {.id = id,
                          .weight = mine.weights,
                          .edge_weight = mine.edge_weights,
                          .uncuttable = mine.uncuttable,
                          .fixed = mine.fixed}),
                   {.parts = 4});
}

template <class Id, class Column>
void expect_same_parts(const GraphOnHost& graph, bool has_empty_ranks) {
  const Communicator ranks = test::world();
  const Part mine = my_share(graph, has_empty_ranks);
  const GraphCut numbered = cut_with(ranks, mine, mine.columns, {});
  const auto ids = ids_of<Id>(mine);
  const auto columns = columns_of<Id, Column>(mine);
  const GraphCut named = cut_with(ranks, mine, columns, ids);
  EXPECT_EQ(parts_of_all(ranks, named), parts_of_all(ranks, numbered));
  EXPECT_EQ(named.report.cut, numbered.report.cut);
}

TEST(GraphIds, GiveTheSamePartsAsNumbers) {
  const GraphOnHost grid = weighted_grid(24, 20);
  for (const bool has_empty_ranks : {false, true}) {
    SCOPED_TRACE(has_empty_ranks ? "empty ranks" : "no empty ranks");
    expect_same_parts<std::int64_t, std::int64_t>(grid, has_empty_ranks);
    expect_same_parts<std::uint64_t, std::uint64_t>(grid, has_empty_ranks);
    expect_same_parts<std::uint32_t, std::int64_t>(grid, has_empty_ranks);
    expect_same_parts<std::int16_t, std::int32_t>(grid, has_empty_ranks);
  }
  const GraphOnHost few = weighted_grid(3, 3);  // eight ranks cannot share these vertices
  expect_same_parts<std::int8_t, std::int8_t>(few, false);
}

class GraphIdsOn : public test::OnRanks {
 protected:
  void expect_same(const GraphCut& one, const GraphCut& other) const {
    EXPECT_EQ(parts_of_all(communicator, one), parts_of_all(communicator, other));
  }
};

TEST_F(GraphIdsOn, MayBeNumbersInAnotherOrder) {
  const GraphOnHost mesh = test::random_mesh(3000, 4);
  const Part mine = my_share(mesh);
  const std::int64_t last = mesh.size() - 1;
  std::vector<std::int64_t> ids, columns;
  for (std::int64_t v = 0; v + 1 < std::ssize(mine.offsets); ++v)
    ids.push_back(last - mine.first - v);
  for (const std::int64_t u : mine.columns) columns.push_back(last - u);
  const GraphCut numbered =
      cut_graph(test::space(), communicator, graph(mine.offsets, mine.columns), {.parts = 8});
  const GraphCut named = cut_graph(test::space(), communicator,
                                   graph(mine.offsets, columns, {.id = ids}), {.parts = 8});
  expect_same(named, numbered);
}

TEST_F(GraphIdsOn, LieInAnyMemory) {
  const Part mine = my_share(weighted_grid(24, 20));
  const GraphCut numbered = cut_with(communicator, mine, mine.columns, {});
  const auto ids = ids_of<std::int64_t>(mine);
  const auto columns = columns_of<std::int64_t, std::int64_t>(mine);
  const auto ids_there = test::array_of(ids);
  const auto columns_there = test::array_of(columns);
  expect_same(cut_with(communicator, mine, columns_there, ids), numbered);
  expect_same(cut_with(communicator, mine, columns, ids_there), numbered);
}

// The space behind the offsets holds arbitrary values.
TEST_F(GraphIdsOn, AreNotReadBeyondTheOffsets) {
  const Part mine = my_share(weighted_grid(24, 20), true);
  const GraphCut numbered = cut_with(communicator, mine, mine.columns, {});
  auto ids = ids_of<std::int64_t>(mine);
  auto columns = columns_of<std::int64_t, std::int64_t>(mine);
  Part more = mine;
  columns.resize(columns.size() + 5, -99);
  more.edge_weights.resize(more.edge_weights.size() + 2, -1);
  more.uncuttable.resize(more.uncuttable.size() + 1, 1);
  expect_same(cut_with(communicator, more, columns, ids), numbered);
  more.columns.resize(more.columns.size() + 3, -1);
  expect_same(cut_with(communicator, more, more.columns, {}), numbered);
}

// The Error for a path of ten vertices with these ids. Only ranks that have vertices give ids.
std::string error_for(const std::vector<std::int64_t>& ids,
                      const std::vector<std::int64_t>& columns) {
  GraphOnHost path = test::path(std::ssize(ids));
  path.columns = columns;
  const Communicator ranks = test::world();
  const Part mine = my_share(path);
  const auto begin = ids.begin() + mine.first;
  const std::vector<std::int64_t> my_ids(begin, begin + std::ssize(mine.offsets) - 1);
  return test::error_everywhere(
      [&] { cut_graph(test::space(), ranks, graph(mine.offsets, mine.columns, {.id = my_ids})); });
}

TEST(GraphIds, MustBeThoseOfOneVertex) {
  EXPECT_MENTIONS(error_for({10, 20, 30, 20}, {20, 10, 30, 20, 20, 30}), "Id 20 belongs to object");
  EXPECT_MENTIONS(error_for({10, 20, 30, 40}, {20, 10, 30, 20, 44, 30}),
                  "A neighbour of the vertex with id 30 is 44, an id that no vertex "
                  "has.");
  // Numbers of vertices are not valid as ids.
  EXPECT_MENTIONS(error_for({10, 20, 30, -40}, {20, 10, 30, 20, 3, 30}),
                  "the vertex with id 30 is 3,");
}

TEST_F(GraphIdsOn, AreGivenOnAllRanksOrNone) {
  const Part mine = my_share(test::path(3L * test::size()));
  const auto ids = ids_of<std::int64_t>(mine);
  const auto columns = columns_of<std::int64_t, std::int64_t>(mine);
  const bool is_last = test::rank() + 1 == test::size();
  EXPECT_ERROR_EVERYWHERE(cut_graph(test::space(), communicator,
                                    graph(mine.offsets, is_last ? mine.columns : columns,
                                          {.id = is_last ? NumberSource() : NumberSource(ids)})),
                          test::size() > 1 ? "Some ranks give an option" : "nothing was thrown");
}

TEST_F(GraphIdsOn, AreOneIntegerEach) {
  const Part mine = my_share(test::path(3L * test::size()));
  const auto count = mine.offsets.size() - 1;
  const auto error_with = [&](const NumberSource& id) {
    return test::error_everywhere([&] {
      cut_graph(test::space(), communicator, graph(mine.offsets, mine.columns, {.id = id}));
    });
  };
  const std::vector<double> real(count, 1.5);
  EXPECT_MENTIONS(error_with(real), "are of type");
  const std::vector<int> few(count - 1, 1);
  EXPECT_MENTIONS(error_with(few), "ids in");
  std::vector<int> two(2 * count, 1);
  const auto pairs = raw_field(two.data(), {.count = std::ssize(two) / 2, .components = 2});
  EXPECT_MENTIONS(error_with(pairs), "several ids");
}

// --- Edges without their reverse -----------------------------------------------------------------

std::string error_of_graph(const GraphOnHost& graph, bool has_ids, bool has_empty_ranks = false) {
  const Communicator ranks = test::world();
  const Part mine = my_share(graph, has_empty_ranks);
  const auto ids = ids_of<std::int32_t>(mine);
  const auto columns = columns_of<std::int32_t, std::int32_t>(mine);
  GraphOptions known;
  if (has_ids) known.id = ids;
  if (!graph.edge_weights.empty()) known.edge_weight = mine.edge_weights;
  if (!graph.uncuttable.empty()) known.uncuttable = mine.uncuttable;
  return test::error_everywhere([&] {
    cut_graph(test::space(), ranks,
              has_ids ? evenkeel::graph(mine.offsets, columns, known)
                      : evenkeel::graph(mine.offsets, mine.columns, known));
  });
}

std::size_t entry_of(const GraphOnHost& graph, std::int64_t v, std::int64_t u) {
  const auto row = graph.row(v);
  return static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(v)] +
                                  (std::find(row.begin(), row.end(), u) - row.begin()));
}

TEST(GraphSymmetry, NamesTheLowestEdgeWithoutReverse) {
  const GraphOnHost grid = test::grid(12, 10);
  const auto id = [](std::int64_t v) { return std::to_string(scattered<std::int32_t>(v)); };
  for (const bool has_empty_ranks : {false, true}) {
    // One edge is only in the row of its upper end. Edges with higher vertices are only in the row
    // of their lower end.
    GraphOnHost upper = grid;
    upper.columns[entry_of(upper, 35, 34)] = 20;
    upper.columns[entry_of(upper, 50, 51)] = 119;
    upper.columns[entry_of(upper, 20, 21)] = 22;
    EXPECT_MENTIONS(error_of_graph(upper, false, has_empty_ranks),
                    "An edge from vertex 21 to vertex 20 has no reverse.");
    EXPECT_MENTIONS(error_of_graph(upper, true, has_empty_ranks),
                    "An edge from the vertex with id " + id(21) + " to the vertex with id " +
                        id(20) + " has no reverse.");
  }
  GraphOnHost lower = grid;
  lower.columns[entry_of(lower, 0, 1)] = 119;
  EXPECT_MENTIONS(error_of_graph(lower, false), "from vertex 1 to vertex 0 has no");
  lower = grid;
  lower.columns[entry_of(lower, 119, 118)] = 0;
  EXPECT_MENTIONS(error_of_graph(lower, false), "from vertex 119 to vertex 0 has no");
  // One of the two edges has no reverse.
  GraphOnHost twice = grid;
  twice.columns[entry_of(twice, 40, 41)] = 39;
  EXPECT_MENTIONS(error_of_graph(twice, false), "from vertex 40 to vertex 39 has no");
}

TEST(GraphSymmetry, NamesTheLowestEdgeOfAnotherWeight) {
  GraphOnHost graph = test::grid(12, 10);
  graph.edge_weights.assign(graph.columns.size(), 2);
  graph.edge_weights[entry_of(graph, 77, 76)] = 3;
  graph.edge_weights[entry_of(graph, 90, 102)] = 3;
  EXPECT_MENTIONS(error_of_graph(graph, false),
                  "An edge from vertex 76 to vertex 77 has another weight or mark");
  graph.edge_weights[entry_of(graph, 76, 77)] = 3;
  EXPECT_MENTIONS(error_of_graph(graph, false), "from vertex 90 to vertex 102 has");
  graph.edge_weights[entry_of(graph, 102, 90)] = 3;
  graph.uncuttable.assign(graph.columns.size(), 0);
  graph.uncuttable[entry_of(graph, 119, 107)] = 1;
  EXPECT_MENTIONS(error_of_graph(graph, false),
                  "from vertex 107 to vertex 119 has another weight or mark");
  graph.uncuttable[entry_of(graph, 107, 119)] = 4;  // every value except 0 is a mark
  EXPECT_EQ(error_of_graph(graph, false), "nothing was thrown");
}

}  // namespace
}  // namespace evenkeel::ids_test
