#pragma once

// Random domains of a given number of parts by any method. Also finds, by definition, the ranks
// that need images of a point.

#include "core/domains/any.hpp"

#include "domains/frame.hpp"

#include <tuple>

namespace evenkeel::test {

inline CurveDomains random_curve(int dimensions, int parts, Random& random) {
  constexpr CurveKind kinds[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};
  const Room room = random_room(dimensions, random);
  Splitters splitters = random_splitters(dimensions, parts, random);
  const int levels = below(2, random) == 0 ? 0 : 1 + below(6, random);
  return CurveDomains(7, dimensions, room.box, room.periodic, std::move(splitters),
                      {kinds[below(3, random)], levels}, random_ranks(parts, random));
}

inline GridDomains random_grid(int dimensions, int parts, Random& random) {
  const Room room = random_room(dimensions, random);
  // The grid has few parts along each axis, or all parts along one axis.
  GridShape shape = factored(parts, dimensions);
  if (below(2, random) == 0) {
    shape.extents = {1, 1, 1};
    shape.extents[static_cast<std::size_t>(below(dimensions, random))] = parts;
  }
  const GridScheme scheme = below(2, random) == 0 ? GridScheme::tensor : GridScheme::staggered;
  std::array<int, 3> axes = {0, 1, 2};
  std::shuffle(axes.begin(), axes.begin() + dimensions, random);
  GridBorders borders = random_grid_borders(shape, room.box, scheme, axes, random);
  return GridDomains(7, shape, room.box, room.periodic, std::move(borders),
                     random_ranks(parts, random));
}

inline TreeDomains random_tree(int dimensions, int parts, Random& random) {
  const Room room = random_room(dimensions, random);
  std::vector<Bisection> nodes;
  divide(0, parts, dimensions, room.box, nodes, random);
  return TreeDomains(7, dimensions, room.box, room.periodic, std::move(nodes),
                     random_ranks(parts, random));
}

constexpr int methods = 5;
inline Domains random_domains(int method, int dimensions, int parts, Random& random) {
  if (method == 0) return random_curve(dimensions, parts, random);
  if (method == 1) return random_grid(dimensions, parts, random);
  if (method == 2) return random_tree(dimensions, parts, random);
  if (method == 3) return random_voronoi(dimensions, parts, random);
  return random_mesh(factored(parts, dimensions), random);
}

// Returns false for domains that are cells of a lattice in another shape.
inline bool are_boxes(const Domains& domains) {
  return !std::holds_alternative<VoronoiDomains>(domains) &&
         !std::holds_alternative<MeshDomains>(domains);
}

// Returns the same division for a box that is not periodic.
inline Domains opened(const Domains& domains) {
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    return CurveDomains(1, curve->dimensions(), curve->box(), {}, curve->splitters(),
                        curve->curve(), curve->rank_of_part());
  if (const auto* grid = std::get_if<GridDomains>(&domains))
    return GridDomains(1, grid->shape(), grid->box(), {}, grid->borders(), grid->rank_of_part());
  if (!are_boxes(domains)) return domains;  // see ranks_in_period()
  const auto& tree = std::get<TreeDomains>(domains);
  return TreeDomains(1, tree.dimensions(), tree.box(), {}, tree.nodes(), tree.rank_of_part());
}

inline std::string description_of(const Domains& domains, double width) {
  constexpr const char* names[] = {"curve", "grid", "tree", "graph", "voronoi", "mesh"};
  std::string text = names[domains.index()];
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    text += std::string(" ") + name_of(curve->curve().kind) + " of " +
            std::to_string(curve->curve().levels) + " levels";
  text += ", " + description(domains);
  return text + ", width " + std::to_string(width);
}

// A rank, and the periods of an image.
using Needed = std::tuple<int, int, int, int>;

// The ranks within `width` of a point, in the period `at` of the box. Without periods the sites of
// a diagram would make other cells, so the search is for the lattice cells of that period.
template <class D>
std::vector<int> ranks_in_period(const D& domains, const Point& point, double width,
                                 const std::array<int, 3>& at) {
  const CellFrame frame = domains.frame();
  Box inside;
  for (int axis = 0; axis < domains.dimensions(); ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const ImageInside first = frame.image(axis, point[d] - width);
    const ImageInside last = frame.image(axis, point[d] + width);
    const double from = first.turn == -at[d] ? first.at : frame.lowest(axis);
    const double to = last.turn == -at[d] ? last.at : frame.highest(axis);
    if (-at[d] < first.turn || -at[d] > last.turn) return {};
    const double lower = domains.box().lower[d], upper = domains.box().upper[d];
    const double end = upper - 1e-12 * (upper - lower);
    const auto place_in = [&](double cell) {  // the last cell may extend beyond the box
      return std::min(frame.lattice.middle(axis, static_cast<std::uint32_t>(cell)), end);
    };
    inside.lower[d] = place_in(from);
    inside.upper[d] = place_in(to);
  }
  return ranks_within(domains, inside, 0);
}

// Finds the owners of places at most `width` away from an image of a point, for each image. The
// object itself on `holder` does not count.
inline std::set<Needed> needed_by(const Domains& domains, const Domains& open, const Point& point,
                                  double width, int holder) {
  const Box& box = box_of(domains);
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  std::array<int, 3> first = {}, last = {};
  for (std::size_t d = 0; d < n; ++d) {
    if (!periodic_of(domains)[d]) continue;
    const double period = box.upper[d] - box.lower[d];
    first[d] = static_cast<int>(std::floor((box.lower[d] - width - point[d]) / period)) - 1;
    last[d] = static_cast<int>(std::ceil((box.upper[d] + width - point[d]) / period)) + 1;
  }
  std::set<Needed> needed;
  std::array<int, 3> at = first;
  const auto visit = [&](const auto& self, std::size_t d) -> void {
    if (d < 3) {
      for (at[d] = first[d]; at[d] <= last[d]; ++at[d]) self(self, d + 1);
      return;
    }
    Box image;
    for (std::size_t a = 0; a < n; ++a) {
      const bool wraps = periodic_of(domains)[a];
      const double period = wraps ? box.upper[a] - box.lower[a] : 0;
      const double place = point[a] + at[a] * period;
      if (wraps && !(place - width < box.upper[a] && place + width >= box.lower[a])) return;
      image.lower[a] = image.upper[a] = place;
    }
    const bool is_itself = at == std::array{0, 0, 0};
    const auto* const voronoi = std::get_if<VoronoiDomains>(&open);
    const auto* const mesh = std::get_if<MeshDomains>(&open);
    for (const int rank : voronoi != nullptr ? ranks_in_period(*voronoi, point, width, at)
                          : mesh != nullptr  ? ranks_in_period(*mesh, point, width, at)
                                             : ranks_within(open, image, width))
      if (!is_itself || rank != holder) needed.insert({rank, at[0], at[1], at[2]});
  };
  visit(visit, 0);
  return needed;
}

// Draws a place that is on a face, beside a face, or anywhere. Some are outside, or many periods
// away.
inline Point random_place_in(const Domains& domains, Random& random) {
  const Box& box = box_of(domains);
  Point point = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d) {
    const double period = box.upper[d] - box.lower[d];
    const double place = eighths(box.lower[d], box.upper[d], random);
    switch (below(10, random)) {
      case 0: point[d] = box.lower[d]; break;
      case 1: point[d] = box.upper[d]; break;
      case 2: point[d] = place + (below(2001, random) - 1000) * period; break;
      case 3: point[d] = eighths(box.lower[d] - 1, box.upper[d] + 1, random); break;
      case 4: point[d] = place + little; break;
      case 5: point[d] = place - little; break;
      default: point[d] = place;
    }
  }
  return point;
}

// The width is at most a few periods of the shortest axis.
inline double random_width(const Domains& domains, Random& random) {
  constexpr double widths[] = {0, little, 0.125, 0.3, 1, 2.5, 30};
  double width = widths[below(std::size(widths), random)];
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
    if (periodic_of(domains)[d])
      width = std::min(width, 2.5 * (box_of(domains).upper[d] - box_of(domains).lower[d]));
  return width;
}

}  // namespace evenkeel::test
