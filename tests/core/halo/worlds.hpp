#pragma once

// Random domains of a given number of parts by any method, and who needs which images of a point by
// definition.

#include "core/domains/asking.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace evenkeel::test {

inline const std::array<bool, 3>& periodic_of(const Domains& domains) {
  return std::visit([](const auto& all) -> const std::array<bool, 3>& { return all.periodic(); },
                    domains);
}

inline CurveDomains random_curve(int dimensions, int parts, Random& random) {
  constexpr CurveKind kinds[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};
  const Room room = random_room(dimensions, random);
  const std::uint64_t end = end_of_curve(dimensions).value;
  Splitters splitters = {CurveKey{0}, CurveKey{end}};
  while (std::ssize(splitters) <= parts) {
    const bool again = below(8, random) == 0;
    const CurveKey key{random() % end};
    splitters.push_back(again ? splitters[random() % splitters.size()] : key);
  }
  std::sort(splitters.begin(), splitters.end());
  const int levels = below(2, random) == 0 ? 0 : 1 + below(6, random);
  return CurveDomains(7, dimensions, room.box, room.periodic, std::move(splitters),
                      {kinds[below(3, random)], levels}, random_ranks(parts, random));
}

inline GridDomains random_grid(int dimensions, int parts, Random& random) {
  const Room room = random_room(dimensions, random);
  // Few parts along each axis, or all along one.
  GridShape shape = factored(parts, dimensions);
  if (below(2, random) == 0) {
    shape.extents = {1, 1, 1};
    shape.extents[static_cast<std::size_t>(below(dimensions, random))] = parts;
  }
  GridBorders borders;
  borders.scheme = below(2, random) == 0 ? GridScheme::tensor : GridScheme::staggered;
  borders.axes = {0, 1, 2};
  std::shuffle(borders.axes.begin(), borders.axes.begin() + dimensions, random);
  int rows = 1;
  for (std::size_t level = 0; level < static_cast<std::size_t>(dimensions); ++level) {
    const auto d = static_cast<std::size_t>(borders.axes[level]);
    const double lower = room.box.lower[d], upper = room.box.upper[d];
    for (int row = 0; row < rows; ++row) {
      std::vector<double>& all = borders.levels[level];
      const auto inner = random_borders(shape.extents[d] - 1, lower, upper, random);
      all.push_back(lower);
      all.insert(all.end(), inner.begin(), inner.end());
      all.push_back(upper);
    }
    if (borders.scheme == GridScheme::staggered) rows *= shape.extents[d];
  }
  return GridDomains(7, shape, room.box, room.periodic, std::move(borders),
                     random_ranks(parts, random));
}

inline void divide(int begin, int end, int dimensions, const Box& box,
                   std::vector<Bisection>& nodes, Random& random) {
  if (end - begin < 2) return;
  const int axis = below(dimensions, random);
  const auto d = static_cast<std::size_t>(axis);
  const double border = random_borders(1, box.lower[d], box.upper[d], random).front();
  const int middle = begin + 1 + below(end - begin - 1, random);
  nodes.push_back({border, axis, middle});
  Box lower = box, upper = box;
  lower.upper[d] = upper.lower[d] = border;
  divide(begin, middle, dimensions, lower, nodes, random);
  divide(middle, end, dimensions, upper, nodes, random);
}

inline TreeDomains random_tree(int dimensions, int parts, Random& random) {
  const Room room = random_room(dimensions, random);
  std::vector<Bisection> nodes;
  divide(0, parts, dimensions, room.box, nodes, random);
  return TreeDomains(7, dimensions, room.box, room.periodic, std::move(nodes),
                     random_ranks(parts, random));
}

constexpr int methods = 3;
inline Domains random_domains(int method, int dimensions, int parts, Random& random) {
  if (method == 0) return random_curve(dimensions, parts, random);
  if (method == 1) return random_grid(dimensions, parts, random);
  return random_tree(dimensions, parts, random);
}

// The same division of the box, which does not wrap around.
inline Domains opened(const Domains& domains) {
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    return CurveDomains(1, curve->dimensions(), curve->box(), {}, curve->splitters(),
                        curve->curve(), curve->rank_of_part());
  if (const auto* grid = std::get_if<GridDomains>(&domains))
    return GridDomains(1, grid->shape(), grid->box(), {}, grid->borders(), grid->rank_of_part());
  const auto& tree = std::get<TreeDomains>(domains);
  return TreeDomains(1, tree.dimensions(), tree.box(), {}, tree.nodes(), tree.rank_of_part());
}

inline std::string description_of(const Domains& domains, double width) {
  constexpr const char* names[] = {"curve", "grid", "tree"};
  std::string text = names[domains.index()];
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    text += std::string(" ") + name_of(curve->curve().kind) + " of " +
            std::to_string(curve->curve().levels) + " levels";
  text += ", " + std::visit([](const auto& all) { return description(all); }, domains);
  return text + ", width " + std::to_string(width);
}

// A rank, and the periods of an image.
using Needed = std::tuple<int, int, int, int>;

// Who owns a place at most `width` away from an image of a point, one image after the other. The
// object on `holder` itself is none.
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
    for (const int rank : ranks_within(open, image, width))
      if (!is_itself || rank != holder) needed.insert({rank, at[0], at[1], at[2]});
  };
  visit(visit, 0);
  return needed;
}

// A place on a face or beside one, or anywhere; at times outside, and many periods away.
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

// At most a few periods of the shortest axis.
inline double random_width(const Domains& domains, Random& random) {
  constexpr double widths[] = {0, little, 0.125, 0.3, 1, 2.5, 30};
  double width = widths[below(std::size(widths), random)];
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
    if (periodic_of(domains)[d])
      width = std::min(width, 2.5 * (box_of(domains).upper[d] - box_of(domains).lower[d]));
  return width;
}

}  // namespace evenkeel::test
