// Cuts of graphs whose parts must fit into memory. The oracle adds up the bytes of each part vertex
// by vertex.

#include "core/graph/graphs.hpp"

#include <evenkeel/core/graph.hpp>
#include <evenkeel/core/graph/nets.hpp>

namespace evenkeel::graph_memory_test {
namespace {

using Numbers = std::vector<double>;

struct Cut {
  std::vector<int> parts;  // of all vertices, on all ranks
  GraphReport report;
};

// Vertices on the left have all work, and those on the right most bytes.
class GraphInMemory : public test::OnRanks {
 protected:
  GraphInMemory() {
    for (std::int64_t v = 0; v < mesh.size(); ++v) {
      const bool is_left = mesh.positions[static_cast<std::size_t>(2 * v)] < 0.5;
      mesh.weights.push_back(is_left ? 1 + static_cast<double>(test::mix(v, 1) % 3) : 0.01);
      bytes.push_back(is_left ? 10 : 1000 + static_cast<double>(test::mix(v, 2) % 9));
    }
  }
  Cut cut(const GraphCutOptions& options, const ByGraph& method = {},
          const std::vector<int>& from = {}, const Communicator& ranks = test::world()) const {
    const test::Part mine = test::share_of(mesh, ranks.rank(), ranks.size());
    const std::int64_t end = mine.first + std::ssize(mine.offsets) - 1;
    const auto offsets = test::array_of(mine.offsets, test::space()),
               columns = test::array_of(mine.columns, test::space());
    const auto weights = test::array_of(mine.weights, test::space()),
               sizes = test::array_of(test::slice(bytes, mine.first, end), test::space());
    const auto present = test::array_of(test::slice(from, mine.first, end), test::space());
    GraphCutOptions all = options;
    if (!from.empty()) all.from = present;
    const GraphCut found = cut_graph(
        test::space(), ranks,
        evenkeel::graph(offsets, columns, {.weight = weights, .bytes = sizes}), all, method);
    const std::vector<int> parts = found.parts.on_host();
    return {ranks.all_gather(std::span<const int>(parts)).values, found.report};
  }
  Numbers bytes_of(const Cut& cut, std::size_t parts) const {
    Numbers sums(parts);
    for (std::size_t v = 0; v < bytes.size(); ++v)
      sums[static_cast<std::size_t>(cut.parts[v])] += bytes[v];
    return sums;
  }
  // Limits in proportion to `shares`, with this many times the bytes of all vertices.
  Numbers memory(const Numbers& shares, double room) const {
    const double factor = room * std::accumulate(bytes.begin(), bytes.end(), 0.0) /
                          std::accumulate(shares.begin(), shares.end(), 0.0);
    Numbers limits;
    for (const double share : shares) limits.push_back(factor * share);
    return limits;
  }
  void expect_fits(const Cut& found, const Numbers& limits, const Numbers& speeds = {}) const {
    const Numbers real = bytes_of(found, limits.size());
    ASSERT_EQ(found.report.bytes.size(), limits.size());
    for (std::size_t p = 0; p < limits.size(); ++p) {
      EXPECT_LE(real[p], limits[p]) << p;
      EXPECT_NEAR(found.report.bytes[p], real[p], 1e-6 * limits[p]);
    }
    Numbers works(limits.size());
    for (std::size_t v = 0; v < bytes.size(); ++v)
      works[static_cast<std::size_t>(found.parts[v])] += mesh.weights[v];
    EXPECT_NEAR(found.report.lambda.front(), lambda_of(works, speeds), 1e-6);
  }

  test::GraphOnHost mesh = test::random_mesh(2000, 5);
  Numbers bytes;
};

TEST_F(GraphInMemory, NoPartExceedsItsMemory) {
  const Numbers equal(6, 1), speeds = {1, 1, 2, 2, 4, 4};
  for (const Effort effort : {Effort::good, Effort::fast}) {
    const Numbers limits = memory(equal, 1.2);
    const Cut found = cut({.parts = 6, .memory = limits}, {.effort = effort});
    expect_fits(found, limits);
    EXPECT_GT(std::ranges::max(bytes_of(cut({.parts = 6}, {.effort = effort}), 6)), limits[0]);
    if (size > 1 && rank == 0) {
      const Cut alone =
          cut({.parts = 6, .memory = limits}, {.effort = effort}, {}, Communicator::self());
      EXPECT_EQ(alone.parts, found.parts);
    }
  }
  const Numbers opposed = memory({4, 4, 2, 2, 1, 1}, 1.3);
  expect_fits(cut({.parts = 6, .speeds = speeds, .memory = opposed}), opposed, speeds);
}

TEST_F(GraphInMemory, ALimitThatDoesNotBindChangesNothing) {
  const Cut expected = cut({.parts = 4});
  const Cut found = cut({.parts = 4, .memory = memory({1, 1, 1, 1}, 4)});
  EXPECT_EQ(found.parts, expected.parts);
  EXPECT_EQ(found.report.lambda, expected.report.lambda);
  EXPECT_EQ(found.report.cut, expected.report.cut);
}

TEST_F(GraphInMemory, WithoutACutThatFitsTheLeastFullOneIsTaken) {
  const Numbers limits = memory({1, 1, 1, 1}, 0.5);
  const Cut found = cut({.parts = 4, .memory = limits});
  EXPECT_LT(std::ranges::max(found.report.bytes), 2.2 * limits[0]);
  EXPECT_LE(std::ranges::max(cut({.parts = 4, .memory = limits}, {}, found.parts).report.bytes),
            std::ranges::max(found.report.bytes));
}

TEST_F(GraphInMemory, BadLimitsAreErrors) {
  EXPECT_ERROR_EVERYWHERE(cut({.parts = 3, .memory = {1e9}}),
                          "core/graph: 1 limits of memory came for 3 parts. Give one limit per "
                          "part, or no limits.");
  EXPECT_ERROR_EVERYWHERE(cut({.parts = 1, .memory = {std::nan("")}}),
                          "A limit of memory is zero, negative, NaN or infinite.");
  if (size > 1) {
    EXPECT_ERROR_EVERYWHERE(cut({.parts = 1, .memory = {rank + 1e9}}),
                            "Ranks give different limits of memory. Give the same limits on all "
                            "ranks.");
  }
  const std::vector<std::int64_t> none = {0}, pins = {};
  EXPECT_ERROR_EVERYWHERE(cut_nets(test::space(), communicator, nets(std::int64_t{0}, none, pins),
                                   {.parts = 1, .memory = {1e9}}),
                          "Memory is limited, but cut_nets has no limits. Leave out .memory.");
}

}  // namespace
}  // namespace evenkeel::graph_memory_test
