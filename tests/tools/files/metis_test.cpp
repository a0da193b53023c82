#include "files/metis.hpp"

#include "support/harness.hpp"

namespace evenkeel::tool::metis_test {
namespace {

using test::error_of;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

constexpr std::string_view how_to_begin =
    " Begin with a line of whole numbers: vertices, edges and, where there are weights, fmt and "
    "ncon.";
constexpr std::string_view how_to_write =
    " Write a line for each vertex: its size and weights, if fmt says so, and its neighbours, "
    "counted from 1.";
constexpr std::string_view how_many =
    " Write a line for each vertex, an empty one where it has no neighbours.";

GraphFile read(std::string_view text, const GraphPortion& portion = {}) {
  return read_metis(MemorySource("a.graph", text), portion);
}

void expect_refused(std::string_view text, std::string_view problem, std::string_view remedy) {
  EXPECT_EQ(error_of([&] { check_declared_edges(read(text), "a.graph"); }),
            std::string("evenkeel: tools/files: ").append(problem).append(remedy));
}

// The example of METIS' manual, with the numbering of its figure.
constexpr std::string_view manual = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";

TEST(Metis, TheExampleOfTheManual) {
  const GraphFile graph = read(manual);
  EXPECT_EQ(graph.vertices, 7);
  EXPECT_EQ(graph.first, 0);
  EXPECT_EQ(graph.rows(), 7);
  EXPECT_EQ(graph.entries, 22);
  EXPECT_EQ(graph.declared_edges, 11);
  EXPECT_EQ(graph.first_number, 1);
  EXPECT_EQ(graph.offsets, (Integers{0, 3, 6, 10, 14, 17, 20, 22}));
  EXPECT_EQ(graph.columns,
            (Integers{4, 2, 1, 0, 2, 3, 4, 3, 1, 0, 1, 2, 5, 6, 0, 2, 5, 4, 3, 6, 5, 3}));
  EXPECT_EQ(graph.constraints, 0);
  EXPECT_TRUE(graph.edge_weights.empty());
  EXPECT_TRUE(graph.vertex_weights.empty());
  EXPECT_TRUE(graph.vertex_sizes.empty());
}

TEST(Metis, WeightsAndSizes) {
  const GraphFile edges = read("3 2 001\n2 7\n1 7 3 9\n2 9\n");
  EXPECT_EQ(edges.columns, (Integers{1, 0, 2, 1}));
  EXPECT_EQ(edges.edge_weights, (Reals{7, 7, 9, 9}));
  EXPECT_EQ(edges.constraints, 0);

  const GraphFile vertices = read("3 2 10\n4 2\n0 1 3\n6 2\n");
  EXPECT_EQ(vertices.columns, (Integers{1, 0, 2, 1}));
  EXPECT_EQ(vertices.constraints, 1);
  EXPECT_EQ(vertices.vertex_weights, (Reals{4, 0, 6}));
  EXPECT_TRUE(vertices.edge_weights.empty());

  const GraphFile sizes = read("3 2 100\n4 2\n0 1 3\n6 2\n");
  EXPECT_EQ(sizes.columns, (Integers{1, 0, 2, 1}));
  EXPECT_EQ(sizes.vertex_sizes, (Reals{4, 0, 6}));
  EXPECT_EQ(sizes.constraints, 0);

  const GraphFile all = read("3 2 111 2\n90 1 2 2 7\n80 3 4 1 7 3 9\n70 5 6 2 9\n");
  EXPECT_EQ(all.columns, (Integers{1, 0, 2, 1}));
  EXPECT_EQ(all.vertex_sizes, (Reals{90, 80, 70}));
  EXPECT_EQ(all.constraints, 2);
  EXPECT_EQ(all.vertex_weights, (Reals{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(all.edge_weights, (Reals{7, 7, 9, 9}));
}

TEST(Metis, AFmtMayBeShort) {
  EXPECT_EQ(read("2 1 1\n2 5\n1 5\n").edge_weights, (Reals{5, 5}));
  EXPECT_EQ(read("2 1 11\n3 2 5\n4 1 5\n").vertex_weights, (Reals{3, 4}));
  EXPECT_EQ(read("2 1 0\n2\n1\n").columns, (Integers{1, 0}));
  EXPECT_EQ(read("2 1 000 0\n2\n1\n").columns, (Integers{1, 0}));
  EXPECT_EQ(read("2 1 010 0\n3 2\n4 1\n").vertex_weights, (Reals{3, 4}));
}

TEST(Metis, WhatIsTolerated) {
  for (const std::string_view text :
       {"3 1\n2\n1\n\n", "3 1\r\n2\r\n1\r\n\r\n", "%\n% 9 9\n3 1\n2\n  % in between\n1\n\n%",
        "\n \n3 1\n2\n1\n\n", " 3\t1 \n\t2  \n 1\t\n \t\n", "\357\273\2773 1\n2\n1\n\n",
        "3 1\n2\n1\n\n\n \r\n\n", "3 1\n002\n1\n\n"}) {
    const GraphFile graph = read(text);
    EXPECT_EQ(graph.vertices, 3) << text;
    EXPECT_EQ(graph.offsets, (Integers{0, 1, 2, 2})) << text;
    EXPECT_EQ(graph.columns, (Integers{1, 0})) << text;
  }
  EXPECT_EQ(read("2 1\n2\n1").columns, (Integers{1, 0})) << "no line end at the end";
}

TEST(Metis, NoVertices) {
  const GraphFile graph = read("0 0\n");
  EXPECT_EQ(graph.vertices, 0);
  EXPECT_EQ(graph.offsets, (Integers{0}));
  EXPECT_EQ(read("0 0", {2, 3}).rows(), 0);
}

TEST(Metis, PortionsMakeTheWhole) {
  const std::string text(manual);
  for (const std::int64_t of : {1, 2, 3, 7, 9}) {
    GraphFile whole;
    for (std::int64_t index = 0; index < of; ++index) {
      const GraphFile part = read(text, {index, of});
      EXPECT_EQ(part.vertices, 7);
      EXPECT_EQ(part.first, whole.rows());
      for (std::int64_t row = 0; row < part.rows(); ++row)
        whole.offsets.push_back(std::ssize(whole.columns) +
                                part.offsets[static_cast<std::size_t>(row) + 1]);
      whole.columns.insert(whole.columns.end(), part.columns.begin(), part.columns.end());
      whole.entries += part.entries;
    }
    EXPECT_EQ(whole.offsets, read(text).offsets) << of;
    EXPECT_EQ(whole.columns, read(text).columns) << of;
    EXPECT_EQ(whole.entries, 22);
  }
}

TEST(Metis, NumbersAreCheckedOnlyInThePortion) {
  const std::string_view text = "4 1\n2\n1\n\nnonsense\n";
  EXPECT_EQ(read(text, {0, 2}).columns, (Integers{1, 0}));
  EXPECT_ERROR(read(text, {1, 2}), "line 5");
}

TEST(Metis, Headers) {
  for (const std::string_view text : {"", "\n", "% nothing\n\n"})
    expect_refused(text, "The file 'a.graph' is empty.", how_to_begin);
  expect_refused("%\n7\n", "Line 2 of 'a.graph', the header, has 1 numbers instead of 2 to 4.",
                 how_to_begin);
  expect_refused("1 0 0 0 0\n", "Line 1 of 'a.graph', the header, has 5 numbers instead of 2 to 4.",
                 how_to_begin);
  expect_refused("x 1\n", "Number 1 in line 1 of 'a.graph' is 'x', which is not a whole number.",
                 how_to_begin);
  expect_refused("2 -1\n", "Number 2 in line 1 of 'a.graph' is '-1', which is negative.",
                 how_to_begin);
  expect_refused("2 1.0\n",
                 "Number 2 in line 1 of 'a.graph' is '1.0', which is not a whole number.",
                 how_to_begin);
  expect_refused("9223372036854775808 1\n",
                 "Number 1 in line 1 of 'a.graph' is '9223372036854775808', which does not fit "
                 "in 63 bits.",
                 how_to_begin);
  EXPECT_ERROR(read("99999999999999999999999999999 1\n"), "does not fit in 63 bits");
}

TEST(Metis, Fmt) {
  const std::string_view digits =
      " Give three digits that say whether the file has vertex sizes, vertex weights and edge "
      "weights: 1 for yes, 0 for no.";
  for (const std::string fmt : {"2", "0001", "x", "-1", "012"})
    expect_refused("2 1 " + fmt + "\n2\n1\n",
                   "Number 3 in line 1 of 'a.graph', fmt, is '" + fmt + "'.", digits);
  expect_refused("2 1 001 2\n2 1\n1 1\n",
                 "Line 1 of 'a.graph' declares 2 weights for each vertex, but its fmt says that "
                 "vertices have no weights.",
                 " Give a fmt of 10, or 11 where edges have weights too; or leave ncon out.");
  EXPECT_ERROR(read("2 1 011 x\n"), "Number 4 in line 1 of 'a.graph' is 'x'");
}

// The header must be checked before memory is allocated.
TEST(Metis, MoreThanTheFileCanHold) {
  const std::string_view remedy = " Check the header, and whether the file was cut off.";
  expect_refused("1000000000000 1\n2\n1\n",
                 "Line 1 of 'a.graph' declares 1000000000000 vertices, 1 edges and 0 weights "
                 "for each vertex; the file has 20 bytes, which are too few.",
                 remedy);
  EXPECT_ERROR(read("2 4611686018427387904\n2\n1\n"), "bytes, which are too few");
  EXPECT_ERROR(read("2 1 010 9223372036854775807\n2\n1\n"), "bytes, which are too few");
}

TEST(Metis, Rows) {
  expect_refused("4 1\n2\n1\n",
                 "The header of 'a.graph' declares 4 vertices, but 2 lines follow, 2 too few.",
                 how_many);
  expect_refused("2 1\n2\n1\n\n1\n\n",
                 "The header of 'a.graph' declares 2 vertices, but 4 lines follow, 2 too many.",
                 how_many);
  EXPECT_ERROR(read("4 1\n2\n1\n", {0, 2}), "2 too few");
}

TEST(Metis, Edges) {
  const std::string_view remedy =
      " Write each edge in the lines of both its ends, and count it once in the header.";
  expect_refused("3 1\n2\n1 3\n2\n",
                 "The header of 'a.graph' declares 1 edges, which have 2 ends, but its lines "
                 "hold 4 neighbours, 2 too many.",
                 remedy);
  expect_refused("3 3\n2\n1 3\n2\n",
                 "The header of 'a.graph' declares 3 edges, which have 6 ends, but its lines "
                 "hold 4 neighbours, 2 too few.",
                 remedy);
}

TEST(Metis, Neighbours) {
  expect_refused("2 1\n0\n1\n", "Number 1 in line 2 of 'a.graph', a neighbour, is 0.",
                 " Give 1 or more.");
  expect_refused("2 1\n2\n1 3\n", "Number 2 in line 3 of 'a.graph', a neighbour, is 3.",
                 " Give at most 2, the number of vertices in the header.");
  const std::pair<std::string, std::string> cases[] = {
      {"-2", "'-2', which is negative."},
      {"1.5", "'1.5', which is not a whole number."},
      {"2,", "'2,', which is not a whole number."},
      {"nan", "'nan', which is not a whole number."},
      {"+2", "'+2', which is not a whole number."},
      {"-", "'-', which is not a whole number."},
      {"2%", "'2%', which is not a whole number."},
      {"99999999999999999999", "'99999999999999999999', which does not fit in 63 bits."}};
  for (const auto& [word, problem] : cases)
    expect_refused("2 1\n" + word + "\n1\n",
                   "Number 1 in line 2 of 'a.graph', a neighbour, is " + problem, how_to_write);
  EXPECT_ERROR(read(std::string_view("2 1\n2\0\n1\n", 9)), "which is not a whole number");
}

TEST(Metis, Weights) {
  expect_refused("2 1 1\n2 0\n1 0\n",
                 "Number 2 in line 2 of 'a.graph', the weight of an edge, is 0.",
                 " Give 1 or more.");
  expect_refused("2 1 1\n2 1\n1\n",
                 "Line 3 of 'a.graph' ends after 1 numbers, before the weight of an edge.",
                 how_to_write);
  expect_refused("2 1 10 2\n1 1 2\n1\n",
                 "Line 3 of 'a.graph' ends after 1 numbers, before a weight of a vertex.",
                 how_to_write);
  expect_refused("1 0 100\n\n",
                 "Line 2 of 'a.graph' ends after 0 numbers, before the size of a vertex.",
                 how_to_write);
  expect_refused("1 0 10\n-4\n",
                 "Number 1 in line 2 of 'a.graph', a weight of a vertex, is '-4', which is "
                 "negative.",
                 how_to_write);
  EXPECT_EQ(read("1 0 10\n9223372036854775807\n").vertex_weights,
            (Reals{static_cast<double>(std::numeric_limits<std::int64_t>::max())}));
}

// The line of a hub has several MiB, which is more than one read.
TEST(Metis, LongLinesAndProgress) {
  constexpr std::int64_t leaves = 300000;
  std::string text = std::to_string(leaves + 1) + " " + std::to_string(leaves) + "\n";
  for (std::int64_t leaf = 2; leaf <= leaves + 1; ++leaf)
    text.append(std::to_string(leaf)).push_back(' ');
  text.push_back('\n');
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf) text.append("1\n");
  ASSERT_GT(text.size(), std::size_t{2} << 20U);
  std::vector<std::uint64_t> seen;
  const GraphFile graph =
      read_metis(MemorySource("a.graph", text), {}, [&](std::uint64_t bytes, std::uint64_t of) {
        EXPECT_EQ(of, text.size());
        seen.push_back(bytes);
      });
  EXPECT_EQ(graph.entries, 2 * leaves);
  EXPECT_EQ(graph.offsets[1], leaves);
  EXPECT_EQ(graph.columns.back(), 0);
  EXPECT_GE(seen.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), text.size());
}

}  // namespace
}  // namespace evenkeel::tool::metis_test
