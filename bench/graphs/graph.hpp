#pragma once

// Graphs for benchmarks. They are symmetric, have no loops or repeated edges, and have rows in
// ascending order.

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::bench::graphs {

struct Graph {
  std::string name;
  int dimensions = 0;  // 0 if there are no positions
  std::vector<std::int64_t> offsets, columns;
  std::vector<double> positions;  // `dimensions` numbers per vertex

  std::int64_t vertices() const { return std::ssize(offsets) - 1; }
  std::span<const std::int64_t> row(std::int64_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {columns.data() + offsets[v], columns.data() + offsets[v + 1]};
  }
};

// Ends the program with a message.
[[noreturn]] void fail(const std::string& what);

// Ends the program unless the graph has the properties at the head of this file, and no vertex has
// more than `greatest_degree` neighbours.
void check(const Graph& graph, std::int64_t greatest_degree);

// Makes a graph from pairs in any order, which may have loops and repetitions. Each edge may be
// given in one or in both directions.
struct Edge {
  std::int64_t from, to;
  friend bool operator==(const Edge&, const Edge&) = default;  // nvcc does not derive it from <=>
  friend auto operator<=>(const Edge&, const Edge&) = default;
};
Graph from_edges(std::string name, std::int64_t vertices, std::span<const Edge> edges);

// Vertex i of the result is vertex order[i] of `graph`; vertices not in `order` are left out.
Graph subgraph(const Graph& graph, std::span<const std::int64_t> order);

// The greatest connected component. Vertices keep their order.
Graph greatest_component(const Graph& graph);

// The graph with its vertices along a Hilbert curve through their positions, or in random order.
Graph along_curve(const Graph& graph);
Graph shuffled(const Graph& graph, std::uint64_t seed);

// Keys along a Hilbert curve through the cube around all positions.
std::vector<std::uint64_t> curve_keys(int dimensions, std::span<const double> positions);

// Weights of vertices and of edges are empty if all of them are 1.
struct WeightedGraph {
  Graph graph;
  std::vector<std::int64_t> weights, edge_weights;
};

// Makes one vertex for each of `count` clusters. `cluster_of` has the cluster of each vertex, from
// 0 on.
WeightedGraph contracted(const WeightedGraph& fine, std::span<const std::int64_t> cluster_of,
                         std::int64_t count);

// Reads a file in the format of METIS, without weights. Throws an Error if there is no such file.
Graph read_metis(const std::string& name, const std::string& file);

}  // namespace evenkeel::bench::graphs
