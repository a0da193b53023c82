#include "faces.hpp"

#include "sorted.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel::assigning {

namespace {

using Pair = std::array<int, 2>;
using Point = std::array<double, 3>;
using Cell = std::array<std::int64_t, 3>;

// Makes the graph of the pairs. There are no weights, or one per pair.
Graph graph_of(int blocks, std::span<const Pair> pairs,
               const std::vector<std::int64_t>& weights = {}) {
  Graph graph;
  graph.offsets.assign(static_cast<std::size_t>(blocks) + 1, 0);
  for (const Pair& pair : pairs)
    for (const int i : pair) ++at(graph.offsets, i + 1);
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  graph.to.resize(2 * pairs.size());
  graph.weights.resize(2 * weights.size());
  std::vector<int> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (std::size_t k = 0; k < pairs.size(); ++k)
    for (const int side : {0, 1}) {
      const auto place = static_cast<std::size_t>(at(next, at(pairs[k], side))++);
      graph.to[place] = at(pairs[k], 1 - side);
      if (!weights.empty()) graph.weights[place] = weights[k];
    }
  return graph;
}

// --- Centres on a lattice ------------------------------------------------------------------------
// Centres of blocks that are refined by halves are on a lattice of half the least width. A block
// whose neighbour has the same width d sees it at distance d along one axis, and smaller neighbours
// at 3/4 d along this axis and 1/4 d along the others. Nothing is nearer than d on an axis, so the
// least d at which something is found is the width. Larger neighbours see this block themselves.

struct Lattice {
  std::vector<Cell> cells;
  int dimensions = 3;
  int bits = 1;  // of the greatest coordinate
};

struct Extent {
  Point least, most;
};

Extent extent_of(const std::vector<Point>& points) {
  Extent extent{points[0], points[0]};
  for (const Point& point : points)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      extent.least[axis] = std::min(extent.least[axis], point[axis]);
      extent.most[axis] = std::max(extent.most[axis], point[axis]);
    }
  return extent;
}

std::int64_t nearest(double x) { return std::llround(x); }

// Returns the spacing of a lattice with all coordinates of an axis on it, or 0 if there is no
// lattice: the greatest common divisor of their distances.
double spacing_of(const std::vector<Point>& points, std::size_t axis, double least, double most) {
  if (!(most > least)) return 1;
  const double rounding = (most - least) * 0x1p-24;
  double spacing = most - least, inverse = 1 / spacing;
  for (const Point& point : points) {
    double rest = point[axis] - least;
    while (true) {
      rest = std::abs(rest - spacing * static_cast<double>(nearest(rest * inverse)));
      if (rest <= rounding) break;
      std::swap(rest, spacing);
      inverse = 1 / spacing;
      if (spacing < rounding * 8) return 0;  // the axis would have more than 2^21 places
    }
  }
  return spacing;
}

std::optional<Lattice> lattice_of(const std::vector<Point>& points, int dimensions) {
  const Extent extent = extent_of(points);
  Lattice lattice{std::vector<Cell>(points.size()), dimensions, 1};
  Point inverse{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double least = extent.least[axis], most = extent.most[axis];
    const double spacing = spacing_of(points, axis, least, most);
    if (spacing == 0) return std::nullopt;
    inverse[axis] = 1 / spacing;
    const auto cells = static_cast<std::uint64_t>(nearest((most - least) * inverse[axis]));
    lattice.bits = std::max(lattice.bits, static_cast<int>(std::bit_width(cells)));
  }
  if (lattice.bits > 20) return std::nullopt;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      lattice.cells[i][axis] = nearest((points[i][axis] - extent.least[axis]) * inverse[axis]);
  return lattice;
}

// Finds blocks by their cells, in a table of all cells of the box if most have a block, or else in
// a hash table with open addressing.
class Cells {
 public:
  explicit Cells(const std::vector<Cell>& cells) {
    std::uint64_t volume = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const Cell& cell : cells) sides_[axis] = std::max(sides_[axis], cell[axis] + 1);
      volume *= static_cast<std::uint64_t>(sides_[axis]);  // below 2^63: see lattice_of
    }
    if (volume <= 16 * cells.size()) {
      table_.assign(volume, -1);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        int& block = at(table_, place_of(cells[i]));
        if (block >= 0) has_twins_ = true;
        block = static_cast<int>(i);
      }
      return;
    }
    slots_.assign(std::bit_ceil(2 * cells.size() + 1), Slot{empty, 0});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::size_t s = slot_of(key_of(cells[i]));
      for (; slots_[s].key != empty; s = (s + 1) & (slots_.size() - 1))
        if (slots_[s].key == key_of(cells[i])) has_twins_ = true;
      slots_[s] = {key_of(cells[i]), static_cast<int>(i)};
    }
  }
  bool has_twins() const { return has_twins_; }

  // Returns the block in the cell, or -1.
  int find(const Cell& cell) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (cell[axis] < 0 || cell[axis] >= sides_[axis]) return -1;
    if (!table_.empty()) return at(table_, place_of(cell));
    const std::uint64_t key = key_of(cell);
    for (std::size_t s = slot_of(key);; s = (s + 1) & (slots_.size() - 1)) {
      if (slots_[s].key == key) return slots_[s].block;
      if (slots_[s].key == empty) return -1;
    }
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key;
    int block;
  };
  std::int64_t place_of(const Cell& cell) const {
    return (cell[2] * sides_[1] + cell[1]) * sides_[0] + cell[0];
  }
  static std::uint64_t key_of(const Cell& cell) {
    return static_cast<std::uint64_t>(cell[0] | (cell[1] << 21) | (cell[2] << 42));
  }
  // Blocks that are near in space are near in the table.
  std::size_t slot_of(std::uint64_t key) const {
    const std::uint64_t mixed = (key >> 2) * 0x9e3779b97f4a7c15u;
    return ((mixed >> 32) ^ (mixed << 2) ^ (key & 3)) & (slots_.size() - 1);
  }
  Cell sides_{1, 1, 1};
  std::vector<int> table_;
  std::vector<Slot> slots_;
  bool has_twins_ = false;
};

// Appends the pairs of block i with neighbours of its own width d, or of half this width.
bool add_pairs(const Lattice& lattice, const Cells& cells, int i, std::int64_t d,
               std::vector<Pair>& pairs) {
  const Cell& here = at(lattice.cells, i);
  bool found = false;
  for (const std::int64_t side : {1, -1}) {
    if (found && d < 4) break;  // the other sides see this block
    for (int axis = 0; axis < lattice.dimensions; ++axis) {
      Cell there = here;
      at(there, axis) += side * d;
      if (const int j = cells.find(there); j >= 0) {
        found = true;
        if (side > 0) pairs.push_back({i, j});
        continue;
      }
      for (int corner = 0; d >= 4 && corner < (1 << (lattice.dimensions - 1)); ++corner) {
        there = here;
        at(there, axis) += side * d / 4 * 3;
        for (int k = 1; k < lattice.dimensions; ++k)
          at(there, (axis + k) % lattice.dimensions) += (corner >> (k - 1)) & 1 ? d / 4 : -d / 4;
        const int j = cells.find(there);
        if (j < 0) continue;
        found = true;
        pairs.push_back({i, j});
      }
    }
  }
  return found;
}

std::optional<std::vector<Pair>> pairs_of(const Lattice& lattice) {
  const Cells cells(lattice.cells);
  if (cells.has_twins()) return std::nullopt;
  std::vector<Pair> pairs;
  pairs.reserve(4 * lattice.cells.size());
  for (int i = 0; i < std::ssize(lattice.cells); ++i)
    for (int level = 0; level <= lattice.bits; ++level)
      if (add_pairs(lattice, cells, i, std::int64_t{1} << level, pairs)) break;
  return pairs;
}

// --- Other centres: the nearest blocks, found in a k-d tree --------------------------------------

class Nearest {
 public:
  explicit Nearest(const std::vector<Point>& points)
      : points_(points), order_(input_order(static_cast<int>(points.size()))) {
    split(0, order_.size(), 0);
  }

  // Returns the `count` blocks nearest to block i. Among equally near blocks it takes the first.
  std::vector<int> of(int i, std::size_t count) const {
    std::vector<std::pair<double, int>> found;
    search(i, count, 0, order_.size(), 0, found);
    std::vector<int> blocks;
    blocks.reserve(found.size());
    for (const auto& [distance, j] : found) blocks.push_back(j);
    return blocks;
  }

 private:
  static constexpr std::size_t leaf = 8;

  bool before(int a, int b, int axis) const {
    return std::pair(at(at(points_, a), axis), a) < std::pair(at(at(points_, b), axis), b);
  }
  void split(std::size_t begin, std::size_t end, int axis) {
    if (end - begin <= leaf) return;
    const auto first = order_.begin();
    const std::size_t middle = begin + (end - begin) / 2;
    using Difference = std::vector<int>::difference_type;
    std::nth_element(first + Difference(begin), first + Difference(middle), first + Difference(end),
                     [&](int a, int b) { return before(a, b, axis); });
    split(begin, middle, (axis + 1) % 3);
    split(middle + 1, end, (axis + 1) % 3);
  }
  void consider(int i, int j, std::size_t count, std::vector<std::pair<double, int>>& found) const {
    if (i == j) return;
    double distance = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = at(at(points_, i), axis) - at(at(points_, j), axis);
      distance += d * d;
    }
    const std::pair candidate(distance, j);
    if (found.size() == count && found.back() < candidate) return;
    found.insert(std::upper_bound(found.begin(), found.end(), candidate), candidate);
    if (found.size() > count) found.pop_back();
  }
  void search(int i, std::size_t count, std::size_t begin, std::size_t end, int axis,
              std::vector<std::pair<double, int>>& found) const {
    if (end - begin <= leaf) {
      for (std::size_t k = begin; k < end; ++k) consider(i, order_[k], count, found);
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const double side = at(at(points_, i), axis) - at(at(points_, order_[middle]), axis);
    const int next = (axis + 1) % 3;
    const auto left = [&] { search(i, count, begin, middle, next, found); };
    const auto right = [&] { search(i, count, middle + 1, end, next, found); };
    side < 0 ? left() : right();
    consider(i, order_[middle], count, found);
    if (found.size() < count || side * side <= found.back().first) side < 0 ? right() : left();
  }

  const std::vector<Point>& points_;
  std::vector<int> order_;
};

std::vector<Pair> nearest_pairs(const std::vector<Point>& points, int dimensions) {
  const Nearest nearest(points);
  std::vector<Pair> pairs;
  for (int i = 0; i < std::ssize(points); ++i)
    for (const int j : nearest.of(i, 2 * static_cast<std::size_t>(dimensions)))
      pairs.push_back({std::min(i, j), std::max(i, j)});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// --- Orders --------------------------------------------------------------------------------------

// The index of a cell on the Hilbert curve (Skilling, Programming the Hilbert curve, 2004).
std::uint64_t hilbert_key(const Cell& cell, int dimensions, int bits) {
  std::array<std::uint64_t, 3> x{};
  for (int k = 0; k < dimensions; ++k) at(x, k) = static_cast<std::uint64_t>(at(cell, k));
  for (int b = bits - 1; b > 0; --b)
    for (int k = 0; k < dimensions; ++k) {
      const std::uint64_t low = (std::uint64_t{1} << b) - 1;
      const std::uint64_t set = 0 - ((at(x, k) >> b) & 1);  // all bits or no bit
      const std::uint64_t swapped = (x[0] ^ at(x, k)) & low & ~set;
      x[0] ^= swapped ^ (low & set);
      at(x, k) ^= swapped;
    }
  for (int k = 1; k < dimensions; ++k) at(x, k) ^= at(x, k - 1);
  std::uint64_t flip = 0;
  for (std::uint64_t q = std::uint64_t{1} << (bits - 1); q > 1; q >>= 1)
    if ((at(x, dimensions - 1) & q) != 0) flip ^= q - 1;
  std::uint64_t key = 0;
  for (int b = bits - 1; b >= 0; --b)
    for (int k = 0; k < dimensions; ++k) key = (key << 1) | (((at(x, k) ^ flip) >> b) & 1);
  return key;
}

// Centres that are on no lattice get a lattice of 2^16 cells along the longest axis.
Lattice fine_lattice(const std::vector<Point>& points, int dimensions) {
  const Extent extent = extent_of(points);
  double longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    longest = std::max(longest, extent.most[axis] - extent.least[axis]);
  Lattice lattice{std::vector<Cell>(points.size()), dimensions, 16};
  for (std::size_t i = 0; i < points.size() && longest > 0; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      lattice.cells[i][axis] =
          static_cast<std::int64_t>((points[i][axis] - extent.least[axis]) / longest * 65535.0);
  return lattice;
}

std::vector<int> hilbert_order(const Lattice& lattice) {
  std::vector<std::uint64_t> keys;
  keys.reserve(lattice.cells.size());
  for (const Cell& cell : lattice.cells)
    keys.push_back(hilbert_key(cell, lattice.dimensions, lattice.bits));
  return sorted_by(std::move(keys));
}

// Breadth first, from the block that a search from the first block reaches last.
std::vector<int> breadth_first(const Problem& problem) {
  const int blocks = problem.blocks;
  std::vector<int> order(1, 0);
  for (const bool last : {false, true}) {
    std::vector<char> seen(static_cast<std::size_t>(blocks), 0);
    const int root = last ? order.back() : 0;
    order.clear();
    for (int k = 0; k < blocks; ++k) {
      const int start = (root + k) % blocks;
      if (at(seen, start)) continue;
      at(seen, start) = 1;
      order.push_back(start);
      for (std::size_t next = order.size() - 1; next < order.size(); ++next)
        problem.graph.neighbours(order[next], [&](int j, std::int64_t) {
          if (at(seen, j)) return;
          at(seen, j) = 1;
          order.push_back(j);
        });
    }
  }
  return order;
}

}  // namespace

std::vector<int> input_order(int blocks) {
  std::vector<int> order(static_cast<std::size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void set_place(Problem& problem, const BlockOrder&) {
  std::vector<Pair> pairs;
  for (int i = 0; i + 1 < problem.blocks; ++i) pairs.push_back({i, i + 1});
  problem.graph = graph_of(problem.blocks, pairs);
}

void set_place(Problem& problem, const BlockCentres& centres) {
  const int dimensions = centres.dimensions;
  if (dimensions != 2 && dimensions != 3)
    refuse("Centres with " + std::to_string(dimensions) + " dimensions came.", "Use 2 or 3.");
  if (std::ssize(centres.coordinates) != std::int64_t{problem.blocks} * dimensions)
    refuse("centres has " + std::to_string(centres.coordinates.size()) + " coordinates for " +
               std::to_string(problem.blocks) + " blocks.",
           "Give " + std::to_string(dimensions) + " coordinates per block.");
  for (const double x : centres.coordinates)
    if (!std::isfinite(x) || std::abs(x) > 1e150)
      refuse("A coordinate of a centre is NaN, infinite or above 1e150.",
             "Coordinates are finite.");
  if (problem.blocks == 0) return set_place(problem, BlockOrder{});
  std::vector<Point> points(static_cast<std::size_t>(problem.blocks), Point{});
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k)
      points[i][k] = centres.coordinates[i * static_cast<std::size_t>(dimensions) + k];

  std::optional<Lattice> lattice = lattice_of(points, dimensions);
  std::optional<std::vector<Pair>> pairs;
  if (lattice) pairs = pairs_of(*lattice);
  if (!pairs) pairs = nearest_pairs(points, dimensions);
  problem.graph = graph_of(problem.blocks, *pairs);
  problem.near_order = [cells = lattice ? *lattice : fine_lattice(points, dimensions)](
                           const Problem&) { return hilbert_order(cells); };
}

void set_place(Problem& problem, const BlockEdges& edges) {
  if (!edges.weights.empty() && edges.weights.size() != edges.pairs.size())
    refuse(std::to_string(edges.weights.size()) + " weights came for " +
               std::to_string(edges.pairs.size()) + " edges.",
           "Give one weight per edge, or no weights.");
  if (edges.pairs.size() > 1'000'000'000)
    refuse("There are more than a thousand million edges.", "Assign groups of blocks.");
  for (const Pair& pair : edges.pairs)
    for (const int i : pair)
      if (i < 0 || i >= problem.blocks)
        refuse("An edge names block " + std::to_string(i) + " of " +
                   std::to_string(problem.blocks) + ".",
               "Blocks have the numbers 0 to one less than their number.");
  double average = 0;
  for (const double weight : edges.weights) {
    if (!std::isfinite(weight) || weight < 0)
      refuse("The weight of an edge is negative, NaN or infinite.",
             "Weights are finite and not negative.");
    average += weight / static_cast<double>(edges.weights.size());
  }
  std::vector<Pair> pairs;  // without those of a block with itself, which nothing cuts
  std::vector<std::int64_t> weights;
  for (std::size_t k = 0; k < edges.pairs.size(); ++k) {
    if (edges.pairs[k][0] == edges.pairs[k][1]) continue;
    pairs.push_back(edges.pairs[k]);
    if (average > 0)
      weights.push_back(static_cast<std::int64_t>(
          std::min(edges.weights[k] / average * static_cast<double>(one_face), 0x1p40)));
  }
  problem.graph = graph_of(problem.blocks, pairs, weights);
  if (problem.blocks > 0) problem.near_order = breadth_first;
}

}  // namespace evenkeel::assigning
