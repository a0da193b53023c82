#pragma once

// Finds the part that owns a point, for domains that are boxes, in kernels on host and device.

#include <evenkeel/core/box/axis.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>

#include <Kokkos_Macros.hpp>

namespace evenkeel {

// Both function objects can also find the parts of several points at once; hosts take `together` of
// them, because the search for one point continues while another waits for its next border. No
// branch depends on the domain of a point, because processors cannot predict it.

// Finds the part of a point, for kernels. Refers to the borders of a decomposition, in memory that
// the caller reaches. A domain owns its lower faces, and the last domains with an extent own the
// upper faces of the box. A point outside belongs to the owner of the nearest point inside;
// periodic axes wrap around. A domain without extent owns nothing, but if the box itself has no
// extent along an axis, the first domain along it owns everything. Coordinates must be finite, and
// there must be parts.
struct PartOfPoint {
  // One axis, and the rows of borders along it.
  struct BorderLevel {
    GridAxis along;
    int axis = 0;
    int domains = 1;
    int stride = 1;  // from one domain to the next, in parts
    const double* borders = nullptr;

    // The borders of a row.
    KOKKOS_FUNCTION const double* row(std::int64_t index) const {
      return borders + index * (domains + 1);
    }
    // The last domain in a row that begins at or before a place, so domains without extent are
    // skipped. GridAxis must have brought the place inside.
    KOKKOS_FUNCTION int domain_at(std::int64_t index, double inside) const {
      int domain = 0;
      find<1>(&index, &inside, &domain);
      return domain;
    }
    // The same for several places, each with the index of its row.
    template <int count>
    KOKKOS_FUNCTION void find(const std::int64_t* indices, const double* inside, int* found) const {
      for (int i = 0; i < count; ++i) found[i] = 0;
      for (int length = domains; length > 1;) {
        const int half = length / 2;
        for (int i = 0; i < count; ++i)
          found[i] += row(indices[i])[found[i] + half] <= inside[i] ? half : 0;
        length -= half;
      }
    }
  };

  static constexpr int together = 8;

  int dimensions = 0;
  GridScheme scheme = GridScheme::staggered;
  BorderLevel levels[3];  // a plain array: device code may not call the members of std::array

  // The row of the next level in a domain of this one.
  KOKKOS_FUNCTION std::int64_t next_row(int level, std::int64_t row, int domain) const {
    return scheme == GridScheme::staggered ? row * levels[level].domains + domain : 0;
  }

  KOKKOS_FUNCTION int operator()(const double* point) const {
    int part = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): there are at most three axes
    find<1>([=](int, int axis) { return point[axis]; }, &part);
    return part;
  }

  // place(i, axis) returns the coordinate of point i.
  template <int count, class Place>
  KOKKOS_FUNCTION void find(const Place& place, int* parts) const {
    double inside[count];
    std::int64_t rows[count] = {};
    int domains[count];
    for (int i = 0; i < count; ++i) parts[i] = 0;
    for (int l = 0; l < dimensions; ++l) {
      const BorderLevel& level = levels[l];
      for (int i = 0; i < count; ++i) inside[i] = level.along.inside(place(i, level.axis));
      level.template find<count>(rows, inside, domains);
      for (int i = 0; i < count; ++i) {
        parts[i] += domains[i] * level.stride;
        rows[i] = next_row(l, rows[i], domains[i]);
      }
    }
  }
};

// The parts [begin, end) of a box in a tree. If there are two or more, a node divides them. Nodes
// are in pre-order: first the node, then those of the half below, then those of the half above. A
// tree of P parts has P - 1 nodes.
struct BisectionRange {
  int node = 0;  // the node that divides it, if it has more than one part
  int begin = 0, end = 0;
  KOKKOS_FUNCTION int parts() const noexcept { return end - begin; }
  // The two halves, the first of which ends before part `middle`.
  KOKKOS_FUNCTION BisectionRange below(int middle) const noexcept {
    return {node + 1, begin, middle};
  }
  KOKKOS_FUNCTION BisectionRange above(int middle) const noexcept {
    return {node + middle - begin, middle, end};
  }
};

// Finds the part of a point, for kernels. Refers to the forks, in memory that the caller reaches.
// Faces, points outside, periodic axes and axes without extent are as for PartOfPoint: on an axis
// without extent no place is above a border.
struct LeafOfPoint {
  static constexpr int together = 8;

  int dimensions = 0;
  int first = ~0;    // as Fork::next
  GridAxis axes[3];  // a plain array: device code may not call the members of std::array
  const TreeDomains::Fork* forks = nullptr;

  KOKKOS_FUNCTION int operator()(const double* point) const {
    int part = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): there are at most three axes
    find<1>([=](int, int axis) { return point[axis]; }, &part);
    return part;
  }

  // place(i, axis) returns the coordinate of point i.
  template <int count, class Place>
  KOKKOS_FUNCTION void find(const Place& place, int* parts) const {
    double inside[count][3];
    int at[count];
    for (int i = 0; i < count; ++i) {
      at[i] = first;
      for (int axis = 0; axis < dimensions; ++axis)
        inside[i][axis] = axes[axis].inside(place(i, axis));
    }
    for (bool all_are_there = first < 0; !all_are_there;) {
      int all = -1;
      for (int i = 0; i < count; ++i) {
        const int there = at[i] < 0 ? -1 : 0;
        const TreeDomains::Fork& fork = forks[at[i] & ~there];
        const int next = fork.next[fork.border <= inside[i][fork.axis] ? 1 : 0];
        at[i] = (at[i] & there) | (next & ~there);
        all &= at[i];
      }
      all_are_there = all < 0;
    }
    for (int i = 0; i < count; ++i) parts[i] = ~at[i];
  }
};

}  // namespace evenkeel
