#pragma once

// Random domains of every kind, and points to query them.

#include "core/domains/asking.hpp"

namespace evenkeel::test {

// --- Random domains ------------------------------------------------------------------------------

// Some parts are empty.
inline CurveDomains random_curve(CurveKind kind, int dimensions, int levels, Random& random) {
  Room room = random_room(dimensions, random);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    if (is_flat(room.box, d)) room.box.upper[d] += 1;
  const CurveOptions curve{kind, levels};
  const std::uint64_t end = end_of_curve(dimensions).value;
  const int parts = 1 + below(20, random);
  Splitters splitters = {{0}};
  std::vector<std::uint64_t> inner;
  while (std::ssize(inner) + 1 < parts)
    inner.push_back(!inner.empty() && below(6, random) == 0 ? inner.back() : random() % end);
  std::sort(inner.begin(), inner.end());
  for (const std::uint64_t key : inner) splitters.push_back({key});
  splitters.push_back({end});
  return CurveDomains(1, dimensions, room.box, room.periodic, splitters, curve,
                      random_ranks(parts, random));
}

inline CurveDomains random_curve(CurveKind kind, int dimensions, Random& random) {
  constexpr int all_levels[] = {0, 1, 5, 12};
  return random_curve(kind, dimensions, all_levels[below(4, random)], random);
}

inline GridDomains random_grid(GridScheme scheme, int dimensions, Random& random) {
  GridShape shape{dimensions, {1, 1, 1}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    shape.extents[d] = 1 + below(4, random);
  const Room room = random_room(dimensions, random);
  GridBorders borders =
      random_grid_borders(shape, room.box, scheme, usual_axes(dimensions), random);
  return GridDomains(1, shape, room.box, room.periodic, std::move(borders),
                     random_ranks(shape.parts(), random));
}

inline TreeDomains random_tree(int dimensions, Random& random) {
  const Room room = random_room(dimensions, random);
  const int parts = 1 + below(25, random);
  std::vector<Bisection> nodes;
  divide(0, parts, dimensions, room.box, nodes, random);
  return TreeDomains(1, dimensions, room.box, room.periodic, std::move(nodes),
                     random_ranks(parts, random));
}

// Some sites are equal, and some own nothing.
inline VoronoiDomains random_voronoi(int dimensions, int parts, Random& random) {
  const Room room = random_room(dimensions, random);
  const Lattice lattice(dimensions, room.box, room.periodic, CurveKind::hilbert, power_levels);
  std::vector<PowerSite> sites;
  while (std::ssize(sites) < parts) {
    PowerSite site;
    if (!sites.empty() && below(5, random) == 0)
      site = sites[static_cast<std::size_t>(below(static_cast<int>(sites.size()), random))];
    else
      for (int axis = 0; axis < dimensions; ++axis)
        site.anchor[static_cast<std::size_t>(axis)] =
            below(static_cast<int>(lattice.last_coordinate(axis)) + 1, random);
    const std::int64_t weights[] = {0, 0, site.weight, std::int64_t{1} << below(43, random)};
    site.weight = weights[below(4, random)];
    sites.push_back(site);
  }
  return VoronoiDomains(7, dimensions, room.box, room.periodic, std::move(sites),
                        random_ranks(parts, random));
}

// Vertices are up to an eighth of the length of an edge away from those of a lattice.
inline MeshDomains random_mesh(const GridShape& shape, Random& random) {
  const Room room = random_room(shape.dimensions, random);
  const Lattice lattice(shape.dimensions, room.box, room.periodic, CurveKind::hilbert, mesh_levels);
  GridShape grid = shape;
  std::array<std::int32_t, 3> upper = {};
  for (int axis = 0; axis < shape.dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const bool is_flat = lattice.last_coordinate(axis) < 256;
    upper[d] =
        is_flat ? 1 << mesh_levels : static_cast<std::int32_t>(lattice.last_coordinate(axis)) + 1;
    ++grid.extents[d];
  }
  std::vector<MeshVertex> vertices(static_cast<std::size_t>(grid.parts()));
  for (int v = 0; v < grid.parts(); ++v) {
    const std::array<int, 3> at = grid.at(v);
    std::array<int, 3> first = at;
    for (std::size_t d = 0; d < 3; ++d)
      if (room.periodic[d] && static_cast<int>(d) < shape.dimensions && at[d] == shape.extents[d])
        first[d] = 0;
    MeshVertex& vertex = vertices[static_cast<std::size_t>(v)];
    vertex = vertices[static_cast<std::size_t>(grid.part_at(first))];  // for periodic axes
    for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dimensions); ++d) {
      const std::int32_t edge = upper[d] / shape.extents[d];
      const bool is_inner = at[d] > 0 && at[d] < shape.extents[d];
      if (!is_inner) vertex[d] = at[d] == 0 ? 0 : upper[d];
      if (is_inner && first == at)
        vertex[d] = at[d] * edge + below(edge / 4 + 1, random) - edge / 8;
    }
  }
  return MeshDomains(7, shape, room.box, room.periodic, std::move(vertices),
                     random_ranks(shape.parts(), random));
}

inline MeshDomains random_mesh(int dimensions, Random& random) {
  GridShape shape{dimensions, {1, 1, 1}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    shape.extents[d] = 1 + below(4, random);
  return random_mesh(shape, random);
}

inline Domains random_domains(int kind, int dimensions, Random& random) {
  switch (kind) {
    case 0: return random_curve(CurveKind::hilbert, dimensions, random);
    case 1: return random_curve(CurveKind::morton, dimensions, random);
    case 2: return random_curve(CurveKind::snake, dimensions, random);
    case 3: return random_grid(GridScheme::staggered, dimensions, random);
    case 4: return random_grid(GridScheme::tensor, dimensions, random);
    case 5: return random_tree(dimensions, random);
    case 6: return random_voronoi(dimensions, 1 + below(25, random), random);
    default: return random_mesh(dimensions, random);
  }
}
constexpr int kinds_of_domains = 8;

// --- Points --------------------------------------------------------------------------------------

// Draws a point that is on a face of the box, beside a face, in another period, outside of the box,
// or anywhere.
inline Point random_point(const CurveDomains& curve, Random& random) {
  Point point = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(curve.dimensions()); ++d) {
    const double lower = curve.box().lower[d], upper = curve.box().upper[d];
    const double cell = lower + (upper - lower) * below(17, random) / 16.0;
    const double places[] = {cell,
                             std::nextafter(cell, -100),
                             cell + 3 * (upper - lower),
                             lower - 0.5,
                             upper + 0.5,
                             eighths(lower, upper, random),
                             upper,
                             std::nextafter(lower, lower - 1)};
    point[d] = places[below(std::size(places), random)];
  }
  return point;
}
inline Point random_point(const Domains& domains, Random& random) {
  return std::visit([&](const auto& all) { return random_point(all, random); }, domains);
}

}  // namespace evenkeel::test
