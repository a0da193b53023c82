#include "generators.hpp"

#include "../clouds.hpp"
#include "delaunay.hpp"
#include "regular.hpp"

#include <algorithm>
#include <functional>

namespace evenkeel::bench::graphs {
namespace {

using clouds::Random;

template <int n>
using Place = std::array<double, n>;

// A domain within the unit cube, and a function that stretches its places after the triangulation.
template <int n>
struct Domain {
  double volume;
  // The result is negative inside. Outside it is at least the distance to the domain.
  std::function<double(const Place<n>&)> outside;
  std::function<void(double*)> stretch = [](double*) {};
};

template <int n>
double radius(const Place<n>& place) {
  double sum = 0;
  for (const double x : place) sum += (x - 0.5) * (x - 0.5);
  return std::sqrt(sum);
}

template <int n>
Domain<n> box(const Place<n>& sides) {
  double volume = 1;
  for (const double side : sides) volume *= side;
  return {volume, [sides](const Place<n>& place) {
            double most = -1;
            for (std::size_t axis = 0; axis < n; ++axis)
              most = std::max(most, std::abs(place[axis] - 0.5) - sides[axis] / 2);
            return most;
          }};
}

template <int n>
Domain<n> shell(double inner, double outer) {
  const double ball = n == 2 ? std::numbers::pi : 4 * std::numbers::pi / 3;
  return {ball * (std::pow(outer, n) - std::pow(inner, n)), [=](const Place<n>& place) {
            const double r = radius<n>(place);
            return std::max(inner - r, r - outer);
          }};
}

// A layer on a wall. The wall is at the lower end of the second axis.
Domain<2> layer_on_wall() {
  constexpr double length = 1, height = 0.25, ratio = 400;
  Domain<2> domain = box<2>({length, height});
  domain.stretch = [](double* place) {
    const double share = (place[1] - 0.5) / height + 0.5;
    place[1] = height * (std::pow(ratio, share) - 1) / (ratio - 1);
  };
  return domain;
}

// Points fill a little more than the domain, so that simplices at its border have the same shapes
// as all others.
template <int n>
std::vector<Place<n>> points_in(const Domain<n>& domain, std::int64_t simplices,
                                std::uint64_t seed) {
  constexpr double simplices_per_point = n == 2 ? 2 : 6.77;  // of random points
  const double in_domain = static_cast<double>(simplices) / simplices_per_point;
  const double margin = 2 * std::pow(domain.volume / in_domain, 1.0 / n);
  const double end = 1 + 2 * margin;
  const auto tries = static_cast<std::int64_t>(in_domain / domain.volume * std::pow(end, n));
  std::vector<Place<n>> points;
  Random random(seed, n);
  for (std::int64_t t = 0; t < tries; ++t) {
    Place<n> point;
    for (double& x : point) x = end * random.uniform() - margin;
    if (domain.outside(point) < margin) points.push_back(point);
  }
  return points;
}

template <int n>
std::vector<LatticePoint<n>> on_lattice(std::span<const Place<n>> points) {
  double lower = 0, upper = 1;
  for (const Place<n>& point : points)
    for (const double x : point) {
      lower = std::min(lower, x);
      upper = std::max(upper, x);
    }
  const double cells = (lattice_end<n> - 3) / (upper - lower);
  std::vector<LatticePoint<n>> snapped(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t axis = 0; axis < n; ++axis)
      snapped[i][axis] = 1 + std::floor((points[i][axis] - lower) * cells);
  return snapped;
}

// The dual graph of the simplices with centroids in the domain.
template <int n>
Graph dual_of(std::string name, const Domain<n>& domain, std::span<const Place<n>> points,
              std::span<const Simplex<n>> simplices) {
  Graph graph;
  graph.name = std::move(name);
  graph.dimensions = n;
  std::vector<std::int64_t> number(simplices.size(), -1);
  std::int64_t count = 0;
  for (std::size_t s = 0; s < simplices.size(); ++s) {
    const auto& corners = simplices[s].corners;
    if (*std::ranges::max_element(corners) >= std::ssize(points)) continue;
    Place<n> centroid = {};
    for (const std::int32_t corner : corners)
      for (std::size_t axis = 0; axis < n; ++axis)
        centroid[axis] += points[static_cast<std::size_t>(corner)][axis] / (n + 1);
    if (domain.outside(centroid) > 0) continue;
    number[s] = count++;
    domain.stretch(centroid.data());
    graph.positions.insert(graph.positions.end(), centroid.begin(), centroid.end());
  }
  graph.offsets.push_back(0);
  for (std::size_t s = 0; s < simplices.size(); ++s) {
    if (number[s] < 0) continue;
    for (const std::int32_t neighbour : simplices[s].neighbours)
      if (neighbour >= 0 && number[static_cast<std::size_t>(neighbour)] >= 0)
        graph.columns.push_back(number[static_cast<std::size_t>(neighbour)]);
    std::sort(graph.columns.begin() + graph.offsets.back(), graph.columns.end());
    graph.offsets.push_back(std::ssize(graph.columns));
  }
  return graph;
}

template <int n>
Graph dual_in(std::string name, const Domain<n>& domain, std::int64_t vertices,
              std::uint64_t seed) {
  const std::vector<Place<n>> points = points_in<n>(domain, vertices, seed);
  const std::vector<LatticePoint<n>> snapped = on_lattice<n>(points);
  const std::vector<Simplex<n>> simplices = delaunay<n>(snapped);
  const Graph dual = dual_of<n>(std::move(name), domain, points, simplices);
  // A few simplices at the border may share only a corner with the others.
  Graph graph = greatest_component(dual);
  if (100 * graph.vertices() < 99 * dual.vertices()) fail(graph.name + " is not in one piece");
  graph = along_curve(graph);
  check(graph, n + 1);
  return graph;
}

Graph random_geometric(std::int64_t vertices, std::uint64_t seed) {
  std::vector<Place<2>> points(static_cast<std::size_t>(vertices));
  Random random(seed, 0);
  for (Place<2>& point : points) point = {random.uniform(), random.uniform()};
  const auto n = static_cast<double>(vertices);
  const double reach = 0.55 * std::sqrt(std::log(n) / n);
  const auto cells = static_cast<std::int64_t>(1 / reach);
  const auto cell_of = [&](double x) {
    return std::min(cells - 1, static_cast<std::int64_t>(x * static_cast<double>(cells)));
  };
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(cells * cells));
  std::vector<Edge> edges;
  for (std::int64_t v = 0; v < vertices; ++v) {
    const Place<2>& point = points[static_cast<std::size_t>(v)];
    const std::int64_t x = cell_of(point[0]), y = cell_of(point[1]);
    for (std::int64_t i = std::max<std::int64_t>(x - 1, 0); i <= std::min(x + 1, cells - 1); ++i)
      for (std::int64_t j = std::max<std::int64_t>(y - 1, 0); j <= std::min(y + 1, cells - 1); ++j)
        for (const std::int64_t other : members[static_cast<std::size_t>(i * cells + j)]) {
          const Place<2>& place = points[static_cast<std::size_t>(other)];
          if (std::hypot(place[0] - point[0], place[1] - point[1]) < reach)
            edges.push_back({v, other});
        }
    members[static_cast<std::size_t>(x * cells + y)].push_back(v);
  }
  Graph graph = greatest_component(from_edges("rgg", vertices, edges));
  check(graph, graph.vertices());
  return graph;
}

// Uses the parameters of Graph500, and 8 edges per vertex, some of which repeat each other. More
// than a third of all vertices have no edge and are left out.
Graph recursive_matrix(std::int64_t vertices, std::uint64_t seed) {
  constexpr double a = 0.57, b = 0.19, c = 0.19;
  constexpr int edges_per_vertex = 8;
  const int levels = static_cast<int>(std::lround(std::log2(static_cast<double>(vertices) / 0.59)));
  const std::int64_t all = std::int64_t{1} << levels;
  std::vector<Edge> edges(static_cast<std::size_t>(all * edges_per_vertex));
  Random random(seed, 0);
  for (Edge& edge : edges) {
    edge = {0, 0};
    for (int level = 0; level < levels; ++level) {
      const double uniform = random.uniform();
      edge.from = 2 * edge.from + (uniform >= a + b ? 1 : 0);
      edge.to = 2 * edge.to + ((uniform >= a && uniform < a + b) || uniform >= a + b + c ? 1 : 0);
    }
  }
  // Shuffles the vertices, since those with low numbers have many neighbours.
  Graph graph = shuffled(greatest_component(from_edges("rmat", all, edges)), seed);
  check(graph, graph.vertices());
  return graph;
}

}  // namespace

std::optional<Graph> generate(std::string_view name, double scale, std::uint64_t seed) {
  const std::string of(name);
  const auto scaled = [&](double count) {
    return std::max<std::int64_t>(1000, std::llround(scale * count));
  };
  const std::int64_t triangles = scaled(1e6), tetrahedra = scaled(670e3);
  if (name == "tri2d") return dual_in(of, box<2>({1, 1}), triangles, seed);
  if (name == "ring2d") return dual_in(of, shell<2>(0.25, 0.5), triangles, seed);
  if (name == "aniso2d") return dual_in(of, layer_on_wall(), triangles, seed);
  if (name == "tet3d") return dual_in(of, box<3>({1, 1, 1}), tetrahedra, seed);
  if (name == "shell3d") return dual_in(of, shell<3>(0.35, 0.5), tetrahedra, seed);
  if (name == "rgg") return random_geometric(scaled(300e3), seed);
  if (name == "rmat") return recursive_matrix(scaled(77e3), seed);
  return regular(name, scale);
}

}  // namespace evenkeel::bench::graphs
