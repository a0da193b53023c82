#pragma once

// Finds the part that owns a point, if domains are boxes. For kernels on host and device.

#include <evenkeel/core/box/axis.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>

#include <Kokkos_Macros.hpp>

namespace evenkeel {

// Both function objects find the part of one point, or by find() the parts of several points at
// once. Hosts search for `together` points at once: while the border for one point is fetched from
// memory, the searches for the others continue. The searches do not branch on the domain of a
// point, because processors would mispredict such branches.

// Finds the part of a point in a grid. Refers to the borders of a decomposition; the kernel must be
// able to read their memory. A domain owns its lower faces. The upper faces of the box belong to
// the last domains with an extent. A point outside the box belongs to the owner of the nearest
// point inside, and along a periodic axis it wraps around. A domain without extent owns nothing. If
// the box itself has no extent along an axis, the first domain along it owns everything.
// Coordinates must be finite, and there must be at least one part.
struct PartOfPoint {
  // One axis, and the borders along it. In a staggered grid each domain of the level before has its
  // own row of borders.
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
    // Returns the last domain in a row that begins at or before a place; this skips domains without
    // extent. GridAxis::inside must have brought the place into the box.
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

  // The row of the next level for a domain of this level.
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
// are stored in pre-order: the node itself, the nodes of the half below, the nodes of the half
// above. A tree of P parts has P - 1 nodes.
struct BisectionRange {
  int node = 0;  // the node that divides the box, if the box has more than one part
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

// Finds the part of a point in a tree. Refers to the forks; the kernel must be able to read their
// memory. Faces, points outside the box, periodic axes and axes without extent are treated as by
// PartOfPoint.
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
