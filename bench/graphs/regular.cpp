#include "regular.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace evenkeel::bench::graphs {
namespace {

using Cell = std::array<std::int64_t, 3>;

// A box of cells. Each cell has `kinds` vertices, for example tetrahedra.
struct Box {
  Cell sides;
  int dimensions = 3, kinds = 1;
  bool is_periodic = false;
  std::function<bool(const Cell&)> has = [](const Cell&) { return true; };
};

// A neighbour of a vertex: the difference of their cells, and its kind.
struct Neighbour {
  Cell by;
  int kind = 0;
};
using Neighbours = std::function<std::vector<Neighbour>(int kind)>;

// The edges of each vertex lead to the cells at the same distances, as far as these exist.
Graph graph_in(std::string name, const Box& box, const Neighbours& neighbours) {
  const auto& [x_end, y_end, z_end] = box.sides;
  std::vector<std::int64_t> numbers;
  std::vector<Cell> cells;
  std::int64_t count = 0;
  for (std::int64_t z = 0; z < z_end; ++z)
    for (std::int64_t y = 0; y < y_end; ++y)
      for (std::int64_t x = 0; x < x_end; ++x) {
        const Cell cell = {x, y, z};
        numbers.push_back(box.has(cell) ? count : -1);
        if (!box.has(cell)) continue;
        cells.push_back(cell);
        count += box.kinds;
      }
  const auto number_of = [&](Cell cell) -> std::int64_t {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t side = box.sides[axis];
      if (box.is_periodic) cell[axis] = (cell[axis] + side) % side;
      if (cell[axis] < 0 || cell[axis] >= side) return -1;
    }
    return numbers[static_cast<std::size_t>((cell[2] * y_end + cell[1]) * x_end + cell[0])];
  };
  std::vector<std::vector<Neighbour>> of_kind;
  for (int kind = 0; kind < box.kinds; ++kind) of_kind.push_back(neighbours(kind));
  std::vector<Edge> edges;
  Graph graph;
  for (const Cell& cell : cells)
    for (int kind = 0; kind < box.kinds; ++kind) {
      const std::int64_t from = number_of(cell) + kind;
      for (const auto& [by, its_kind] : of_kind[static_cast<std::size_t>(kind)]) {
        const std::int64_t to = number_of({cell[0] + by[0], cell[1] + by[1], cell[2] + by[2]});
        if (to >= 0) edges.push_back({from, to + its_kind});
      }
      for (int axis = 0; axis < box.dimensions; ++axis)
        graph.positions.push_back(static_cast<double>(cell[static_cast<std::size_t>(axis)]) +
                                  0.1 * kind);
    }
  std::vector<double> positions = std::move(graph.positions);
  graph = from_edges(std::move(name), count, edges);
  graph.dimensions = box.dimensions;
  graph.positions = std::move(positions);
  check(graph, 26);
  return graph;
}

// All cells that differ by at most 1 in each coordinate, and in at most `most` coordinates.
Neighbours within(int dimensions, int most) {
  return [=](int) {
    std::vector<Neighbour> all;
    const int depth = dimensions == 3 ? 1 : 0;
    for (int z = -depth; z <= depth; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const int sum = std::abs(x) + std::abs(y) + std::abs(z);
          if (sum > 0 && sum <= most) all.push_back({{x, y, z}});
        }
    return all;
  };
}

// The corners of a grid in which each square is divided along the same diagonal.
std::vector<Neighbour> along_diagonal(int /*kind*/) {
  return {{{-1, 0, 0}}, {{1, 0, 0}}, {{0, -1, 0}}, {{0, 1, 0}}, {{1, 1, 0}}, {{-1, -1, 0}}};
}

// Each cube is divided into six tetrahedra around its diagonal (Kuhn). A kind is the order of axes
// along which a path leads from the first corner of the cube to the last one.
std::vector<Neighbour> of_tetrahedron(int kind) {
  using Axes = std::array<int, 3>;
  constexpr std::array<Axes, 6> kinds = {Axes{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0},     {2, 0, 1}, {2, 1, 0}};
  const auto [a, b, c] = kinds[static_cast<std::size_t>(kind)];
  const auto kind_of = [&](const Axes& axes) {
    return static_cast<int>(std::ranges::find(kinds, axes) - kinds.begin());
  };
  Cell next = {0, 0, 0}, last = {0, 0, 0};
  next[static_cast<std::size_t>(a)] = 1;
  last[static_cast<std::size_t>(c)] = -1;
  return {{{0, 0, 0}, kind_of({b, a, c})},
          {{0, 0, 0}, kind_of({a, c, b})},
          {next, kind_of({b, c, a})},
          {last, kind_of({c, a, b})}};
}

}  // namespace

std::optional<Graph> regular(std::string_view name, double scale) {
  const std::string of(name);
  const auto side = [&](int dimensions, double vertices) {
    return std::max<std::int64_t>(8, std::llround(std::pow(scale * vertices, 1.0 / dimensions)));
  };
  const std::int64_t line = side(2, 360e3), edge = side(3, 343e3);
  const Box square{{line, line, 1}, 2}, cube{{edge, edge, edge}};
  if (name == "points5") return graph_in(of, square, within(2, 1));
  if (name == "points7") return graph_in(of, cube, within(3, 1));
  if (name == "points9") return graph_in(of, square, within(2, 2));
  if (name == "points27") return graph_in(of, cube, within(3, 3));
  if (name == "triangles") return graph_in(of, square, &along_diagonal);
  if (name == "hole") {
    Box box = cube;
    box.has = [edge](const Cell& cell) {
      const double middle = 0.5 * static_cast<double>(edge - 1);
      return std::hypot(static_cast<double>(cell[0]) - middle,
                        static_cast<double>(cell[1]) - middle) > 0.25 * static_cast<double>(edge);
    };
    return graph_in(of, box, within(3, 1));
  }
  if (name == "torus") {
    Box box{{2 * side(2, 180e3), side(2, 180e3), 1}, 2};
    box.is_periodic = true;
    return graph_in(of, box, within(2, 1));
  }
  if (name == "kuhn") {
    const std::int64_t cubes = side(3, 64e3);
    return graph_in(of, {{cubes, cubes, cubes}, 3, 6}, &of_tetrahedron);
  }
  return std::nullopt;
}

}  // namespace evenkeel::bench::graphs
