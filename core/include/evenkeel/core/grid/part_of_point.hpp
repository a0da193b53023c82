#pragma once

// Who owns a point among boxes, for kernels on host and device.

#include <evenkeel/core/grid/axis.hpp>
#include <evenkeel/core/grid/box_tree.hpp>
#include <evenkeel/core/grid/grid_decomposition.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace evenkeel {

// Finds the part of a point; for kernels. Refers to the borders of a decomposition, in memory that
// the caller reaches. A domain owns its lower faces, and the last ones with an extent own the upper
// faces of the box; a point outside belongs to who owns the nearest one inside; periodic axes wrap
// around. A domain without extent owns nothing; but where the box itself has none along an axis,
// the first domain along it owns all. Coordinates must be finite; there must be parts.
struct PartOfPoint {
  struct Level {
    GridAxis along;
    int axis = 0;
    int domains = 1;
    int stride = 1;  // from one domain to the next, in parts
    const double* borders = nullptr;

    KOKKOS_FUNCTION const double* row(std::int64_t index) const {
      return borders + index * (domains + 1);
    }
    // The last domain in a row that begins at or before a place that GridAxis brought inside:
    // domains of no extent are passed over. No branch depends on the data.
    KOKKOS_FUNCTION int domain_at(std::int64_t index, double inside) const {
      const double* const begins = row(index);
      int domain = 0;
      for (int length = domains; length > 1;) {
        const int half = length / 2;
        domain += begins[domain + half] <= inside ? half : 0;
        length -= half;
      }
      return domain;
    }
  };

  int dimensions = 0;
  GridScheme scheme = GridScheme::staggered;
  Level levels[3];  // plain: device code may not call the members of std::array

  // Of the next level, in a domain of this one.
  KOKKOS_FUNCTION std::int64_t next_row(int level, std::int64_t row, int domain) const {
    return scheme == GridScheme::staggered ? row * levels[level].domains + domain : 0;
  }

  KOKKOS_FUNCTION int operator()(const double* point) const {
    int part = 0;
    std::int64_t row = 0;
    for (int l = 0; l < dimensions; ++l) {
      const Level& level = levels[l];
      const int domain = level.domain_at(row, level.along.inside(point[level.axis]));
      part += domain * level.stride;
      row = next_row(l, row, domain);
    }
    return part;
  }
};

// A box with parts [begin, end), of which there are two or more, is divided by the node at
// index(begin, end); nodes stand in pre-order, so that the half below is the next node and the half
// above follows it: a tree of P parts has P - 1 nodes.
struct BisectionRange {
  int node = 0;  // the node that divides it, when it has more than one part
  int begin = 0, end = 0;
  KOKKOS_FUNCTION int parts() const noexcept { return end - begin; }
  KOKKOS_FUNCTION BisectionRange below(int middle) const noexcept {
    return {node + 1, begin, middle};
  }
  KOKKOS_FUNCTION BisectionRange above(int middle) const noexcept {
    return {node + middle - begin, middle, end};
  }
};

// Finds the part of a point; for kernels. Refers to the nodes, in memory that the caller reaches.
// Faces, points outside and periodic axes as in a grid (grid_decomposition.hpp); so is a box of no
// extent along an axis: nothing is above a border there.
struct LeafOfPoint {
  int dimensions = 0;
  int parts = 0;
  GridAxis axes[3];  // plain: device code may not call the members of std::array
  const Bisection* nodes = nullptr;

  KOKKOS_FUNCTION int operator()(const double* point) const {
    double inside[3] = {};
    for (int axis = 0; axis < dimensions; ++axis) inside[axis] = axes[axis].inside(point[axis]);
    BisectionRange range{0, 0, parts};
    while (range.parts() > 1) {
      const Bisection& node = nodes[range.node];
      range =
          node.border <= inside[node.axis] ? range.above(node.middle) : range.below(node.middle);
    }
    return range.begin;
  }
};

}  // namespace evenkeel
