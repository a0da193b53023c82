#include "files/npy_graph.hpp"

#include "support/harness.hpp"
#include "tools/npy.hpp"

namespace evenkeel::tool::npy_graph_test {
namespace {

using test::error_of;
using test::npy_of;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

constexpr std::string_view how_to_write =
    " Write n + 1 offsets, which begin with 0, do not descend and end with the number of "
    "neighbours.";

// The bytes of the three files; there is no file of weights if its bytes are empty.
struct Arrays {
  std::string offsets, columns, weights = {};
};

GraphFile read(const Arrays& arrays, const GraphPortion& portion = {},
               const Progress& progress = {}) {
  const auto open = [](const char* name, std::string_view bytes) {
    return NpyFile(std::make_unique<MemorySource>(name, bytes));
  };
  const NpyFile offsets = open("o.npy", arrays.offsets), columns = open("c.npy", arrays.columns);
  std::optional<NpyFile> weights;
  if (!arrays.weights.empty())
    weights.emplace(std::make_unique<MemorySource>("w.npy", arrays.weights));
  return read_npy_graph(offsets, columns, weights ? &*weights : nullptr, portion, progress);
}

std::string whole(const Reals& numbers) { return npy_of<std::int64_t>(0, numbers); }

void expect_refused(const Arrays& arrays, std::string_view problem, std::string_view remedy) {
  EXPECT_EQ(error_of([&] { read(arrays); }),
            std::string("evenkeel: tools/files: ").append(problem).append(remedy));
}

TEST(NpyGraph, OffsetsAndColumns) {
  for (const Arrays& arrays :
       {Arrays{whole({0, 1, 3, 4, 4}), whole({1, 0, 2, 1})},
        Arrays{npy_of<std::int32_t>(0, {0, 1, 3, 4, 4}), npy_of<std::int32_t>(1, {1, 0, 2, 1})}}) {
    const GraphFile graph = read(arrays);
    EXPECT_EQ(graph.vertices, 4);
    EXPECT_EQ(graph.entries, 4);
    EXPECT_EQ(graph.offsets, (Integers{0, 1, 3, 4, 4}));
    EXPECT_EQ(graph.columns, (Integers{1, 0, 2, 1}));
    EXPECT_TRUE(graph.edge_weights.empty());
    EXPECT_EQ(graph.first_number, 0);
    EXPECT_FALSE(graph.declared_edges);
  }
}

TEST(NpyGraph, Weights) {
  const GraphFile graph =
      read({whole({0, 1, 3, 4}), whole({1, 0, 2, 1}), npy_of<double>(0, {0.5, 0.5, 2, 2})});
  EXPECT_EQ(graph.edge_weights, (Reals{0.5, 0.5, 2, 2}));
}

TEST(NpyGraph, Portions) {
  const Arrays arrays = {whole({0, 1, 3, 4, 4}), whole({1, 0, 2, 1}), whole({5, 5, 6, 6})};
  const GraphFile middle = read(arrays, {1, 3});
  EXPECT_EQ(middle.vertices, 4);
  EXPECT_EQ(middle.first, 2);
  EXPECT_EQ(middle.offsets, (Integers{0, 1}));
  EXPECT_EQ(middle.columns, (Integers{1}));
  EXPECT_EQ(middle.edge_weights, (Reals{6}));
  EXPECT_EQ(middle.entries, 1);
  EXPECT_EQ(read(arrays, {7, 8}).offsets, (Integers{0}));
}

TEST(NpyGraph, NoVertices) {
  EXPECT_EQ(read({whole({0}), whole({})}).vertices, 0);
  expect_refused({whole({}), whole({})}, "There are no offsets in 'o.npy'.", how_to_write);
}

TEST(NpyGraph, ShapesAndTypes) {
  expect_refused({npy_of<double>(0, {0, 0}), whole({})}, "The offsets in 'o.npy' are not integers.",
                 " Convert the array with astype('i8') before you save it.");
  expect_refused({whole({0, 1}), npy_of<float>(0, {0})},
                 "The neighbours in 'c.npy' are not integers.",
                 " Convert the array with astype('i8') before you save it.");
  expect_refused({npy_of<std::int64_t>(2, {0, 1, 2, 3}), whole({})},
                 "The offsets in 'o.npy' have 2 columns.", " Write an array of one dimension.");
  EXPECT_ERROR(read({whole({0, 1}), whole({0}), npy_of<double>(2, {1, 2})}),
               "The weights of edges in 'w.npy' have 2 columns.");
}

TEST(NpyGraph, Offsets) {
  expect_refused({whole({1, 2}), whole({0, 0})}, "Element 0 of 'o.npy' is 1, not 0.", how_to_write);
  expect_refused({whole({0, 1, 3}), whole({1, 0})},
                 "Element 2 of 'o.npy', the last offset, is 3, but 'c.npy' has 2 elements.",
                 how_to_write);
  expect_refused({whole({0, 2, 1, 2}), whole({1, 0})},
                 "Element 2 of 'o.npy' is 1, less than the offset before it.", how_to_write);
  expect_refused({whole({0, 9, 2}), whole({1, 0})},
                 "Element 1 of 'o.npy' is 9, more than there are neighbours.", how_to_write);
  for (const GraphPortion& portion : {GraphPortion{1, 2}, GraphPortion{2, 3}})
    EXPECT_ERROR(read({whole({0, 1, -5, 2}), whole({1, 0})}, portion), "Element 2 of 'o.npy' is");
}

TEST(NpyGraph, Columns) {
  const std::string_view remedy = " Give neighbours that are less than the number of vertices.";
  expect_refused({whole({0, 1, 2}), whole({1, 2})},
                 "Element 1 of 'c.npy' is 2, but there are 2 vertices, which are counted from 0.",
                 remedy);
  expect_refused({whole({0, 1, 2}), whole({-1, 0})},
                 "Element 0 of 'c.npy' is -1, but there are 2 vertices, which are counted from "
                 "0.",
                 remedy);
}

TEST(NpyGraph, BadWeights) {
  const Arrays good = {whole({0, 1, 2}), whole({1, 0})};
  expect_refused({good.offsets, good.columns, npy_of<double>(0, {1})},
                 "There are 1 weights in 'w.npy', but 2 neighbours in 'c.npy'.",
                 " Give a weight for each neighbour.");
  expect_refused({good.offsets, good.columns, npy_of<double>(0, {1, 0})},
                 "Element 1 of 'w.npy', the weight of an edge, is 0.",
                 " Give weights that are finite and positive.");
  EXPECT_ERROR(read({good.offsets, good.columns, npy_of<double>(0, {-1, 1})}), "is -1.");
  EXPECT_ERROR(read({good.offsets, good.columns, npy_of<double>(0, {std::nan(""), 1})}), "is nan.");
}

TEST(NpyGraph, ManyElementsAndProgress) {
  constexpr std::int64_t n = 200000;
  Reals offsets, columns;
  for (std::int64_t v = 0; v < n; ++v) {
    offsets.push_back(static_cast<double>(v));
    columns.push_back(static_cast<double>(v % 2 == 0 ? v + 1 : v - 1));
  }
  offsets.push_back(n);
  const Arrays arrays = {whole(offsets), whole(columns)};
  std::vector<std::uint64_t> seen;
  std::uint64_t all = 0;
  const GraphFile graph = read(arrays, {}, [&](std::uint64_t bytes, std::uint64_t of) {
    seen.push_back(bytes);
    all = of;
  });
  EXPECT_EQ(graph.entries, n);
  EXPECT_EQ(graph.columns[0], 1);
  EXPECT_EQ(graph.columns.back(), n - 2);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_GE(seen.size(), 4U);
  EXPECT_EQ(seen.back(), all);
}

}  // namespace
}  // namespace evenkeel::tool::npy_graph_test
