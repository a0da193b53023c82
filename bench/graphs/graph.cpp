#include "graph.hpp"

#include "../clouds.hpp"
#include "files/metis.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace evenkeel::bench::graphs {

void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

void check(const Graph& graph, std::int64_t greatest_degree) {
  const auto demand = [&](bool good, const char* what) {
    if (!good) fail(graph.name + ": " + what);
  };
  const std::int64_t n = graph.vertices();
  demand(n > 0 && graph.offsets.front() == 0 && graph.offsets.back() == std::ssize(graph.columns),
         "the offsets do not fit the columns");
  demand(std::ssize(graph.positions) == n * graph.dimensions, "not one position per vertex");
  for (std::int64_t v = 0; v < n; ++v) {
    demand(graph.offsets[static_cast<std::size_t>(v)] <=
               graph.offsets[static_cast<std::size_t>(v + 1)],
           "offsets fall");
    const std::span<const std::int64_t> row = graph.row(v);
    demand(std::ssize(row) <= greatest_degree, "a vertex has too many neighbours");
    demand(std::adjacent_find(row.begin(), row.end(), std::greater_equal()) == row.end(),
           "a row is not in ascending order or names a neighbour twice");
    for (const std::int64_t other : row) {
      demand(other >= 0 && other < n, "a neighbour does not exist");
      demand(other != v, "a vertex is its own neighbour");
      const std::span<const std::int64_t> back = graph.row(other);
      demand(std::binary_search(back.begin(), back.end(), v), "an edge leads one way only");
    }
  }
}

Graph from_edges(std::string name, std::int64_t vertices, std::span<const Edge> edges) {
  std::vector<Edge> both_ways;
  both_ways.reserve(2 * edges.size());
  for (const auto& [from, to] : edges)
    if (from != to) both_ways.insert(both_ways.end(), {{from, to}, {to, from}});
  std::ranges::sort(both_ways);
  both_ways.erase(std::unique(both_ways.begin(), both_ways.end()), both_ways.end());
  Graph graph;
  graph.name = std::move(name);
  graph.offsets.resize(static_cast<std::size_t>(vertices) + 1);
  for (const auto& [from, to] : both_ways) {
    ++graph.offsets[static_cast<std::size_t>(from) + 1];
    graph.columns.push_back(to);
  }
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  return graph;
}

Graph subgraph(const Graph& graph, std::span<const std::int64_t> order) {
  std::vector<std::int64_t> number(static_cast<std::size_t>(graph.vertices()), -1);
  for (std::size_t i = 0; i < order.size(); ++i)
    number[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  Graph result;
  result.name = graph.name;
  result.dimensions = graph.dimensions;
  result.offsets.reserve(order.size() + 1);
  result.columns.reserve(graph.columns.size());
  result.offsets.push_back(0);
  for (const std::int64_t v : order) {
    for (const std::int64_t other : graph.row(v))
      if (const std::int64_t to = number[static_cast<std::size_t>(other)]; to >= 0)
        result.columns.push_back(to);
    std::sort(result.columns.begin() + result.offsets.back(), result.columns.end());
    result.offsets.push_back(std::ssize(result.columns));
    const auto place = graph.positions.begin() + v * graph.dimensions;
    result.positions.insert(result.positions.end(), place, place + graph.dimensions);
  }
  return result;
}

namespace {

// The component of `start`, by breadth-first search. Marks its vertices in `is_met`.
std::vector<std::int64_t> component(const Graph& graph, std::int64_t start,
                                    std::vector<bool>& is_met) {
  std::vector<std::int64_t> met = {start};
  is_met[static_cast<std::size_t>(start)] = true;
  for (std::size_t next = 0; next < met.size(); ++next)
    for (const std::int64_t other : graph.row(met[next]))
      if (!is_met[static_cast<std::size_t>(other)]) {
        is_met[static_cast<std::size_t>(other)] = true;
        met.push_back(other);
      }
  return met;
}

template <int dimensions>
void write_keys(std::span<const double> positions, std::vector<std::uint64_t>& keys) {
  double lower[dimensions], longest = 0;
  for (int axis = 0; axis < dimensions; ++axis) {
    double upper = lower[axis] = positions[static_cast<std::size_t>(axis)];
    for (std::size_t i = static_cast<std::size_t>(axis); i < positions.size(); i += dimensions) {
      lower[axis] = std::min(lower[axis], positions[i]);
      upper = std::max(upper, positions[i]);
    }
    longest = std::max(longest, upper - lower[axis]);
  }
  const HilbertCurve<dimensions> curve;
  const double last = static_cast<double>((std::uint32_t{1} << curve.levels) - 1);
  for (std::size_t v = 0; v < keys.size(); ++v) {
    Cell<dimensions> cell;
    for (int axis = 0; axis < dimensions; ++axis)
      cell.at[axis] = static_cast<std::uint32_t>(
          (positions[v * dimensions + static_cast<std::size_t>(axis)] - lower[axis]) / longest *
          last);
    keys[v] = curve(cell).value;
  }
}

}  // namespace

Graph greatest_component(const Graph& graph) {
  std::vector<bool> is_met(static_cast<std::size_t>(graph.vertices()));
  std::vector<std::int64_t> greatest;
  for (std::int64_t v = 0; v < graph.vertices(); ++v)
    if (!is_met[static_cast<std::size_t>(v)]) {
      std::vector<std::int64_t> met = component(graph, v, is_met);
      if (met.size() > greatest.size()) greatest = std::move(met);
    }
  std::sort(greatest.begin(), greatest.end());
  return subgraph(graph, greatest);
}

std::vector<std::uint64_t> curve_keys(int dimensions, std::span<const double> positions) {
  std::vector<std::uint64_t> keys(positions.size() / static_cast<std::size_t>(dimensions));
  if (keys.empty()) return keys;
  if (dimensions == 2)
    write_keys<2>(positions, keys);
  else
    write_keys<3>(positions, keys);
  return keys;
}

Graph along_curve(const Graph& graph) {
  const std::vector<std::uint64_t> keys = curve_keys(graph.dimensions, graph.positions);
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return subgraph(graph, order);
}

Graph shuffled(const Graph& graph, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(graph.vertices()));
  std::iota(order.begin(), order.end(), 0);
  clouds::Random random(seed, 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
  return subgraph(graph, order);
}

WeightedGraph contracted(const WeightedGraph& fine, std::span<const std::int64_t> cluster_of,
                         std::int64_t count) {
  std::vector<std::size_t> members(cluster_of.size());  // in the order of their clusters
  std::iota(members.begin(), members.end(), std::size_t{0});
  std::ranges::stable_sort(members, {}, [&](std::size_t v) { return cluster_of[v]; });
  auto member = members.begin();
  WeightedGraph coarse;
  coarse.graph.name = fine.graph.name;
  coarse.graph.offsets.push_back(0);
  struct Neighbour {
    std::int64_t cluster, weight;
  };
  std::vector<Neighbour> others;
  for (std::int64_t c = 0; c < count; ++c) {
    others.clear();
    std::int64_t weight = 0;
    for (; member != members.end() && cluster_of[*member] == c; ++member) {
      const std::size_t v = *member;
      weight += fine.weights.empty() ? 1 : fine.weights[v];
      for (auto e = static_cast<std::size_t>(fine.graph.offsets[v]);
           e < static_cast<std::size_t>(fine.graph.offsets[v + 1]); ++e) {
        const std::int64_t to = cluster_of[static_cast<std::size_t>(fine.graph.columns[e])];
        if (to != c) others.push_back({to, fine.edge_weights.empty() ? 1 : fine.edge_weights[e]});
      }
    }
    std::ranges::sort(others, {}, &Neighbour::cluster);
    for (auto at = others.begin(); at != others.end();) {
      coarse.graph.columns.push_back(at->cluster);
      std::int64_t together = 0;
      const std::int64_t cluster = at->cluster;
      for (; at != others.end() && at->cluster == cluster; ++at) together += at->weight;
      coarse.edge_weights.push_back(together);
    }
    coarse.graph.offsets.push_back(std::ssize(coarse.graph.columns));
    coarse.weights.push_back(weight);
  }
  return coarse;
}

Graph read_metis(const std::string& name, const std::string& file) {
  tool::GraphFile read = tool::read_metis(tool::FileSource(file), {});
  if (read.constraints > 0 || !read.edge_weights.empty())
    fail(file + " has weights: give a graph without weights");
  Graph graph;
  graph.name = name;
  graph.offsets = std::move(read.offsets);
  graph.columns = std::move(read.columns);
  for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v)
    std::sort(graph.columns.begin() + graph.offsets[v],
              graph.columns.begin() + graph.offsets[v + 1]);
  check(graph, graph.vertices());
  return graph;
}

}  // namespace evenkeel::bench::graphs
