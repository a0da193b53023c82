#pragma once

// Graphs for benchmarks: symmetric, without loops or repeated edges, rows in ascending order.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::bench::graphs {

struct Graph {
  std::string name;
  int dimensions = 0;  // 0: no positions are known
  std::vector<std::int64_t> offsets, columns;
  std::vector<double> positions;  // `dimensions` numbers per vertex

  std::int64_t vertices() const { return std::ssize(offsets) - 1; }
  std::int64_t edges() const { return std::ssize(columns) / 2; }
  std::span<const std::int64_t> row(std::int64_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {columns.data() + offsets[v], columns.data() + offsets[v + 1]};
  }
};

// Ends the program with a message.
[[noreturn]] void fail(const std::string& what);

// Fails unless the graph is what the head of this file says and no vertex has more than
// `greatest_degree` neighbours.
void check(const Graph& graph, std::int64_t greatest_degree);

// From pairs in any order, loops and repetitions among them, each edge given once or twice.
struct Edge {
  std::int64_t from, to;
};
Graph from_edges(std::string name, std::int64_t vertices, std::span<const Edge> edges);

// Vertex i of the result is vertex order[i] of `graph`; vertices not in `order` are left out.
Graph subgraph(const Graph& graph, std::span<const std::int64_t> order);

// The greatest connected component, its vertices in the order that they had.
Graph greatest_component(const Graph& graph);

// Vertices along a Hilbert curve through their positions, or at random.
Graph along_curve(const Graph& graph);
Graph shuffled(const Graph& graph, std::uint64_t seed);

// Keys along a Hilbert curve through the cube around all positions.
std::vector<std::uint64_t> curve_keys(int dimensions, std::span<const double> positions);

// A file in the format of METIS, without weights. The name is the file's without its folder and
// extension. Fails when the file is not there or is not such a file.
Graph read_metis(const std::string& file);

}  // namespace evenkeel::bench::graphs
