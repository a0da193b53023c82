#pragma once

// Whole graphs on the host for tests, and the share of a rank.

#include "core/migrate/cloud.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::test {

struct GraphOnHost {
  std::vector<std::int64_t> offsets = {0}, columns;
  std::vector<double> weights;  // if empty, all are 1
  int constraints = 1;
  std::vector<double> edge_weights;  // if empty, all are 1
  std::vector<int> uncuttable, fixed;
  std::vector<double> positions;  // two per vertex

  std::int64_t size() const { return std::ssize(offsets) - 1; }
  std::span<const std::int64_t> row(std::int64_t v) const {
    const auto at = static_cast<std::size_t>(v);
    return std::span(columns).subspan(static_cast<std::size_t>(offsets[at]),
                                      static_cast<std::size_t>(offsets[at + 1] - offsets[at]));
  }
  double weight(std::int64_t v, int constraint) const {
    return weights.empty() ? 1 : weights[static_cast<std::size_t>(v * constraints + constraint)];
  }
};

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

// `edges` has each edge once.
inline GraphOnHost graph_of(std::int64_t vertices, Edges edges) {
  const std::size_t once = edges.size();
  for (std::size_t e = 0; e < once; ++e) edges.emplace_back(edges[e].second, edges[e].first);
  std::sort(edges.begin(), edges.end());
  GraphOnHost graph;
  graph.offsets.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const auto& [from, to] : edges) {
    ++graph.offsets[static_cast<std::size_t>(from) + 1];
    graph.columns.push_back(to);
  }
  for (std::size_t v = 1; v < graph.offsets.size(); ++v) graph.offsets[v] += graph.offsets[v - 1];
  return graph;
}

inline GraphOnHost edgeless(std::int64_t vertices) { return graph_of(vertices, {}); }

inline GraphOnHost path(std::int64_t vertices) {
  Edges edges;
  for (std::int64_t v = 1; v < vertices; ++v) edges.emplace_back(v - 1, v);
  return graph_of(vertices, edges);
}

inline GraphOnHost star(std::int64_t vertices) {
  Edges edges;
  for (std::int64_t v = 1; v < vertices; ++v) edges.emplace_back(0, v);
  return graph_of(vertices, edges);
}

inline GraphOnHost complete(std::int64_t vertices) {
  Edges edges;
  for (std::int64_t v = 0; v < vertices; ++v)
    for (std::int64_t u = 0; u < v; ++u) edges.emplace_back(u, v);
  return graph_of(vertices, edges);
}

// Makes cycles that no edge connects.
inline GraphOnHost pieces(std::int64_t count, std::int64_t each) {
  Edges edges;
  for (std::int64_t piece = 0; piece < count; ++piece)
    for (std::int64_t v = 0; v < each; ++v)
      edges.emplace_back(piece * each + v, piece * each + (v + 1) % each);
  return graph_of(count * each, edges);
}

inline GraphOnHost grid(std::int64_t width, std::int64_t height) {
  Edges edges;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t v = y * width + x;
      if (x + 1 < width) edges.emplace_back(v, v + 1);
      if (y + 1 < height) edges.emplace_back(v, v + width);
    }
  GraphOnHost graph = graph_of(width * height, edges);
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    graph.positions.push_back(static_cast<double>(v % width));
    graph.positions.push_back(static_cast<double>(v / width));
  }
  return graph;
}

// A few vertices have very many neighbours (an R-MAT graph).
inline GraphOnHost with_hubs(int bits, int edges_per_vertex) {
  const std::int64_t vertices = std::int64_t{1} << bits;
  Edges edges;
  for (std::int64_t e = 0; e < edges_per_vertex * vertices; ++e) {
    std::int64_t from = 0, to = 0;
    for (int bit = 0; bit < bits; ++bit) {
      const auto draw = mix(e, bit) % 100;
      from = 2 * from + (draw >= 76 ? 1 : 0);
      to = 2 * to + ((draw >= 57 && draw < 76) || draw >= 95 ? 1 : 0);
    }
    if (from != to) edges.emplace_back(std::min(from, to), std::max(from, to));
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return graph_of(vertices, edges);
}

// Points in a square. Each has an edge to the points near it. The numbers of points are unrelated
// to their places.
inline GraphOnHost random_mesh(std::int64_t vertices, int salt) {
  std::vector<double> x, y;
  for (std::int64_t v = 0; v < vertices; ++v) {
    x.push_back(static_cast<double>(mix(v, salt) >> 11U) * 0x1p-53);
    y.push_back(static_cast<double>(mix(v, salt + 1) >> 11U) * 0x1p-53);
  }
  const double reach = std::sqrt(2.6 / static_cast<double>(vertices));
  const auto cells = static_cast<std::int64_t>(1 / reach);
  std::vector<std::vector<std::int64_t>> in_cell(static_cast<std::size_t>(cells * cells));
  const auto cell_of = [&](double c) {
    return std::min(static_cast<std::int64_t>(c * static_cast<double>(cells)), cells - 1);
  };
  Edges edges;
  for (std::int64_t v = 0; v < vertices; ++v) {
    const auto at = static_cast<std::size_t>(v);
    for (std::int64_t j = std::max<std::int64_t>(cell_of(y[at]) - 1, 0);
         j <= std::min(cell_of(y[at]) + 1, cells - 1); ++j)
      for (std::int64_t i = std::max<std::int64_t>(cell_of(x[at]) - 1, 0);
           i <= std::min(cell_of(x[at]) + 1, cells - 1); ++i)
        for (const std::int64_t u : in_cell[static_cast<std::size_t>(j * cells + i)])
          if (std::hypot(x[at] - x[static_cast<std::size_t>(u)],
                         y[at] - y[static_cast<std::size_t>(u)]) < reach)
            edges.emplace_back(u, v);
    in_cell[static_cast<std::size_t>(cell_of(y[at]) * cells + cell_of(x[at]))].push_back(v);
  }
  GraphOnHost graph = graph_of(vertices, edges);
  for (std::size_t v = 0; v < x.size(); ++v) {
    graph.positions.push_back(x[v]);
    graph.positions.push_back(y[v]);
  }
  return graph;
}

// --- Parts ---------------------------------------------------------------------------------------

inline int empty_parts(const std::vector<int>& parts, int count) {
  std::vector<int> seen(static_cast<std::size_t>(count), 0);
  for (const int part : parts) seen[static_cast<std::size_t>(part)] = 1;
  return static_cast<int>(std::ranges::count(seen, 0));
}

// `whole` may be the vertices of a graph or the objects of nets.
template <class Whole>
double lambda_of_parts(const Whole& whole, const std::vector<int>& parts, int count,
                       int constraint = 0) {
  std::vector<double> weights(static_cast<std::size_t>(count), 0.0);
  for (std::size_t v = 0; v < parts.size(); ++v)
    weights[static_cast<std::size_t>(parts[v])] +=
        whole.weight(static_cast<std::int64_t>(v), constraint);
  return lambda_of(weights);
}

// --- The share of a rank -------------------------------------------------------------------------

// Returns the values of this share. If there are no values at all, the slice is empty.
template <class T>
std::vector<T> slice(const std::vector<T>& values, std::int64_t from, std::int64_t to) {
  if (values.empty()) return {};
  return {values.begin() + from, values.begin() + to};
}

// `components` numbers for each vertex or object, side by side.
inline RawField<double> rows_of_numbers(const exec::Array<double>& numbers, int components) {
  return raw_field(
      numbers.data(),
      {.count = numbers.size() / components, .components = components, .memory = numbers.memory()});
}

// The share of a rank. It has rows in their order.
struct Part {
  std::int64_t first = 0;
  std::vector<std::int64_t> offsets, columns;
  std::vector<double> weights, edge_weights, positions;
  std::vector<int> uncuttable, fixed;
};

inline Part share_of(const GraphOnHost& graph, int rank, int ranks) {
  const auto [begin, end] = exec::share_of(graph.size(), ranks, rank);
  Part part;
  part.first = begin;
  const std::int64_t first_edge = graph.offsets[static_cast<std::size_t>(begin)];
  const std::int64_t last_edge = graph.offsets[static_cast<std::size_t>(end)];
  for (std::int64_t v = begin; v <= end; ++v)
    part.offsets.push_back(graph.offsets[static_cast<std::size_t>(v)] - first_edge);
  part.columns = slice(graph.columns, first_edge, last_edge);
  part.weights = slice(graph.weights, begin * graph.constraints, end * graph.constraints);
  part.edge_weights = slice(graph.edge_weights, first_edge, last_edge);
  part.positions = slice(graph.positions, 2 * begin, 2 * end);
  part.uncuttable = slice(graph.uncuttable, first_edge, last_edge);
  part.fixed = slice(graph.fixed, begin, end);
  return part;
}

}  // namespace evenkeel::test
