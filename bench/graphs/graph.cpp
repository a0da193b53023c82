#include "graph.hpp"

#include "../clouds.hpp"

#include <evenkeel/core/curve/hilbert.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string_view>

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
  Graph graph;
  graph.name = std::move(name);
  graph.offsets.assign(static_cast<std::size_t>(vertices) + 1, 0);
  std::vector<std::int64_t>& offsets = graph.offsets;
  for (const Edge& edge : edges)
    for (const std::int64_t end : {edge.from, edge.to})
      ++offsets[static_cast<std::size_t>(end) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<std::int64_t> all(static_cast<std::size_t>(offsets.back()));
  for (const Edge& edge : edges) {
    all[static_cast<std::size_t>(next[static_cast<std::size_t>(edge.from)]++)] = edge.to;
    all[static_cast<std::size_t>(next[static_cast<std::size_t>(edge.to)]++)] = edge.from;
  }
  for (std::int64_t v = 0; v < vertices; ++v) {
    const auto begin = all.begin() + offsets[static_cast<std::size_t>(v)];
    const auto end = all.begin() + next[static_cast<std::size_t>(v)];
    std::sort(begin, end);
    offsets[static_cast<std::size_t>(v)] = std::ssize(graph.columns);
    std::copy_if(begin, std::unique(begin, end), std::back_inserter(graph.columns),
                 [&](std::int64_t other) { return other != v; });
  }
  offsets.back() = std::ssize(graph.columns);
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

// Breadth first from `start`; marks what it meets.
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

Graph read_metis(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || text.empty()) fail(file + " cannot be read");
  const std::size_t slash = file.find_last_of('/'), name = slash + 1;  // npos + 1 is 0
  const std::size_t dot = file.find('.', name);

  std::string_view rest = text;
  const auto next_line = [&] {
    std::string_view line;
    do {
      line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    } while (line.starts_with('%'));
    return line;
  };
  const auto numbers = [&](std::string_view line) {
    std::vector<std::int64_t> values;
    const char *at = line.data(), *end = at + line.size();
    while (true) {
      while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
      if (at == end) return values;
      std::int64_t value = 0;
      const auto [after, error] = std::from_chars(at, end, value);
      if (error != std::errc()) fail(file + " contains what is not a number");
      values.push_back(value);
      at = after;
    }
  };
  const std::vector<std::int64_t> head = numbers(next_line());
  if (head.size() < 2 || (head.size() > 2 && head[2] != 0))
    fail(file + " is not a graph without weights");
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(head[1]));
  for (std::int64_t v = 0; v < head[0]; ++v)
    for (const std::int64_t other : numbers(next_line()))
      if (other - 1 > v) edges.push_back({v, other - 1});
  Graph graph = from_edges(file.substr(name, dot - name), head[0], edges);
  if (graph.edges() != head[1]) fail(file + " does not have as many edges as its head says");
  return graph;
}

}  // namespace evenkeel::bench::graphs
