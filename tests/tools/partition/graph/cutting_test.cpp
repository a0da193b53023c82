#include "partition/graph/cutting.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tools/partition/clouds.hpp"

#include <regex>

namespace evenkeel::tool::cutting_test {
namespace {

using test::error_of;
using test::npy_of;
using Numbers = std::vector<double>;
using Parts = std::vector<std::int32_t>;

// A path of eight vertices. On up to five ranks, each rank has some of them.
constexpr const char* path_of_eight = "8 7\n2\n1 3\n2 4\n3 5\n4 6\n5 7\n6 8\n7\n";

// Every rank reads files of its own, with the same content.
class GraphPartitions : public testing::Test {
 protected:
  GraphPartitionOptions options_for(const std::string& name, const std::string& content,
                                    int parts = 2) const {
    GraphPartitionOptions options;
    options.graph = directory_.with_file(name, content);
    options.parts = parts;
    return options;
  }
  std::string file(const std::string& name, const std::string& content) const {
    return directory_.with_file(name, content);
  }
  GraphInput read(const GraphPartitionOptions& options) const {
    return read_graph_input(ranks_, options);
  }
  GraphPartition found(const GraphPartitionOptions& options) const {
    return cut(ranks_, read(options), options);
  }
  Parts all_parts(const GraphPartition& partition) const {
    return ranks_.all_gather(std::span<const std::int32_t>(partition.parts)).values;
  }
  // Expects the same Error on all ranks. It names a file of the failing rank, with the whole path.
  void expect_refused(const GraphPartitionOptions& options, const std::string& text) const {
    const std::string said =
        std::regex_replace(error_of([&] { read(options); }), std::regex("'[^' ]*/"), "'");
    EXPECT_NE(said.find("tools/partition: " + text), std::string::npos)
        << said << "\nexpected: " << text;
  }

  Communicator ranks_ = test::world();
  test::ScratchDirectory directory_;
};

TEST_F(GraphPartitions, APath) {
  const GraphPartitionOptions options = options_for("a.graph", path_of_eight);
  const GraphPartition partition = found(options);
  const Parts parts = all_parts(partition);
  ASSERT_EQ(parts.size(), 8U);
  for (std::size_t v = 0; v < 8; ++v) EXPECT_EQ(parts[v], v < 4 ? parts[0] : 1 - parts[0]);
  EXPECT_EQ(partition.report.cut, 1);
  EXPECT_EQ(partition.report.lambda, Numbers{1});
  EXPECT_GT(partition.seconds, 0);
}

// The weights are those of the file. If --weights is given, they are those of --weights.
TEST_F(GraphPartitions, Weights) {
  GraphPartitionOptions options =
      options_for("w.graph", "6 5 010\n3 2\n1 1 3\n1 2 4\n1 3 5\n1 4 6\n1 5\n");
  GraphPartition partition = found(options);
  Parts parts = all_parts(partition);
  EXPECT_EQ(partition.report.lambda, Numbers{1});
  EXPECT_EQ(parts[0], parts[1]);
  EXPECT_NE(parts[1], parts[2]);

  options.weights = file("ones.csv", "1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n");
  EXPECT_EQ(read(options).remarks,
            (std::vector<std::string>{"--weights replaces the weights of vertices in the graph."}));
  partition = found(options);
  parts = all_parts(partition);
  EXPECT_EQ(partition.report.lambda, (Numbers{1, 1}));
  EXPECT_NE(parts[2], parts[3]);
}

// The cheap edge in the middle is cut, and the expensive ones are not.
TEST_F(GraphPartitions, EdgesThatCostMoreAndSizes) {
  const GraphPartitionOptions options =
      options_for("e.graph", "6 5 101\n1 2 9\n1 1 9 3 9\n1 2 9 4 2\n1 3 2 5 9\n1 4 9 6 9\n1 5 9\n");
  const GraphPartition partition = found(options);
  EXPECT_EQ(partition.report.cut, 2);
  EXPECT_EQ(partition.report.cut_edges, 1);
}

TEST_F(GraphPartitions, FromParts) {
  GraphPartitionOptions options = options_for("a.graph", path_of_eight);
  options.method.effort = Effort::polish;
  options.from = file("from.csv", "1\n1\n1\n1\n0\n0\n0\n0\n");
  GraphPartition partition = found(options);
  EXPECT_EQ(all_parts(partition), (Parts{1, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(partition.report.moved, 0);
  // Parts outside the valid range are ignored.
  options.from = file("gone.csv", "1\n1\n7\n-1\n0\n0\n0\n-5\n");
  partition = found(options);
  EXPECT_EQ(all_parts(partition), (Parts{1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST_F(GraphPartitions, PartsWithinTheirMemory) {
  GraphPartitionOptions options = options_for("a.graph", path_of_eight);
  options.bytes = file("bytes.csv", "10\n10\n10\n10\n1\n1\n1\n1\n");
  options.method.target_lambda = 1;
  EXPECT_EQ(all_parts(found(options)), (Parts{0, 0, 0, 0, 1, 1, 1, 1}));
  options.memory = 32;
  const GraphPartition partition = found(options);
  const std::vector<double> sizes = {10, 10, 10, 10, 1, 1, 1, 1};
  std::array<double, 2> sums = {};
  const Parts parts = all_parts(partition);
  for (std::size_t i = 0; i < parts.size(); ++i)
    sums[static_cast<std::size_t>(parts[i])] += sizes[i];
  EXPECT_LE(std::ranges::max(sums), 32);
  EXPECT_NEAR(std::ranges::max(partition.report.bytes), std::ranges::max(sums), 1e-3);
  options.memory = 20;
  EXPECT_EQ(error_of([&] { found(options); }).substr(0, 40),
            "evenkeel: tools/partition: No cut fits: ");
}

TEST_F(GraphPartitions, EdgesThatMustNotBeCut) {
  GraphPartitionOptions options = options_for("a.graph", path_of_eight);
  options.uncuttable = file("middle.csv", "0\n0\n0\n0\n0\n0\n1\n1\n0\n0\n0\n0\n0\n0\n");
  options.method.target_lambda = 1.3;
  const GraphPartition partition = found(options);
  const Parts parts = all_parts(partition);
  EXPECT_EQ(parts[3], parts[4]);
  EXPECT_EQ(partition.report.broken, 0);
}

TEST_F(GraphPartitions, AMatrixAndArrays) {
  const GraphPartitionOptions matrix =
      options_for("a.mtx",
                  "%%MatrixMarket matrix coordinate pattern general\n6 6 7\n1 1\n1 2\n2 3\n3 4\n"
                  "4 5\n5 6\n6 5\n");
  EXPECT_EQ(read(matrix).remarks,
            (std::vector<std::string>{"1 entry on the diagonal was left out.",
                                      "4 edges had entries on one side of the diagonal only."}));
  EXPECT_EQ(found(matrix).report.cut, 1);
  GraphPartitionOptions arrays = matrix;
  arrays.graph = file("o.npy", npy_of<std::int64_t>(0, {0, 1, 3, 5, 7, 9, 10})) + "," +
                 file("c.npy", npy_of<std::int32_t>(0, {1, 0, 2, 1, 3, 2, 4, 3, 5, 4}));
  EXPECT_EQ(all_parts(found(arrays)), all_parts(found(matrix)));
}

TEST_F(GraphPartitions, WhatIsWrongWithAGraph) {
  expect_refused(
      options_for("loop.graph", "2 1\n1\n2\n"),
      "Vertex 1 is its own neighbour. The graph is in 'loop.graph'. Leave out edges from a "
      "vertex to itself.");
  expect_refused(options_for("twice.graph", "2 2\n2 2\n1 1\n"),
                 "Vertex 1 has the neighbour 2 twice. The graph is in 'twice.graph'. Give each "
                 "neighbour once.");
  expect_refused(options_for("one_way.graph", "3 1\n2 3\n\n\n"),
                 "Vertex 1 has the neighbour 2, but vertex 2 does not have the neighbour 1. The "
                 "graph is in 'one_way.graph'. Give each edge in the rows of both its vertices.");
  expect_refused(options_for("unequal.graph", "2 1 001\n2 5\n1 6\n"),
                 "The edge between the vertices 1 and 2 weighs 5 in the row of the former and 6 in "
                 "the row of the latter. The graph is in 'unequal.graph'. Give each edge the same "
                 "weight in the rows of both its vertices.");
}

TEST_F(GraphPartitions, Tables) {
  const GraphPartitionOptions good = options_for("a.graph", "3 2\n2\n1 3\n2\n");
  GraphPartitionOptions bad = good;
  bad.weights = file("w.csv", "1\n2\n");
  expect_refused(bad,
                 "There are 2 weights in 'w.csv', but 3 vertices in 'a.graph'. Give as many "
                 "weights as vertices.");
  bad.weights = file("w.csv", "1\n2\n-3\n");
  expect_refused(bad,
                 "The weight in row 2 of 'w.csv', counted from 0, is -3. Give weights that are "
                 "finite and not negative.");
  bad.weights.reset();
  bad.bytes = file("b.csv", "1\n2\n-3\n");
  expect_refused(bad,
                 "The size in row 2 of 'b.csv', counted from 0, is -3. Give sizes that are finite "
                 "and not negative.");
  bad.bytes.reset();
  bad.weights = file("w.npy", npy_of<double>(2, {1, 1, 1, std::nan(""), 1, 1}));
  expect_refused(bad, "The weight in row 1 of 'w.npy', counted from 0, is nan.");
  bad.weights = file("w.npy", npy_of<double>(9, Numbers(27, 1)));
  expect_refused(bad, "The weights in 'w.npy' have 9 columns. Give from 1 to 8 numbers.");

  bad = good;
  for (const char* part : {"1.5", "2147483648", "-1e300"}) {
    bad.from = file("f.csv", std::string("0\n1\n").append(part).append("\n"));
    expect_refused(bad, "The part in row 2 of 'f.csv', counted from 0, is ");
  }
  bad.from = file("f.csv", "0,1\n1,1\n1,0\n");
  expect_refused(bad, "The parts in 'f.csv' have 2 columns. Give one number in each row.");

  bad = good;
  bad.uncuttable = file("m.csv", "1\n1\n0\n");
  expect_refused(bad,
                 "There are 3 marks in 'm.csv', but 4 neighbours in 'a.graph'. Give as many marks "
                 "as neighbours.");
  bad.uncuttable = file("m.csv", "1\n1\n2\n0\n");
  expect_refused(bad,
                 "The mark in row 2 of 'm.csv', counted from 0, is 2. Give 1 for an edge that must "
                 "not be cut, and 0 for any other.");
  bad.uncuttable = file("m.csv", "0\n1\n0\n0\n");
  expect_refused(bad,
                 "In 'm.csv' the edge between the vertices 1 and 2 is marked in the row of vertex "
                 "2 alone. Mark both directions of an edge, or neither.");
}

}  // namespace
}  // namespace evenkeel::tool::cutting_test
