#pragma once

// The octree, and the solvers of its leaves. A burner, a tube along x, blows a plume into the open
// air. The tree is refined around tube and plume. A leaf belongs to the flow solver, to the
// acoustics solver, or to both.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

constexpr int no_solver = -1, flow_solver = 0, sound_solver = 1;

// The unit cube has `roots` coarse cells along an axis, and each is the root of a tree that is at
// most two levels deep. The place of a cell determines if it is a leaf, so no rank stores all
// leaves.
struct Octree {
  int roots = 0;

  static constexpr double tube_length = 0.55, plume_length = 0.85;
  static constexpr double tube_radius = 0.18, plume_radius = 0.22;

  static KOKKOS_INLINE_FUNCTION double from_axis(const double place[3]) {
    return std::sqrt((place[1] - 0.3) * (place[1] - 0.3) + (place[2] - 0.3) * (place[2] - 0.3));
  }
  static KOKKOS_INLINE_FUNCTION bool is_flow(const double place[3]) {
    const double radius = place[0] < tube_length ? tube_radius : plume_radius;
    return place[0] < plume_length && from_axis(place) < radius;
  }
  // Sound is not computed in the tube.
  static KOKKOS_INLINE_FUNCTION bool is_sound(const double place[3]) {
    return place[0] >= tube_length || from_axis(place) >= tube_radius;
  }

  KOKKOS_INLINE_FUNCTION double width(int level) const { return 1.0 / (roots << level); }

  // The two bands of refinement are so wide that neighbours differ by one level at most.
  KOKKOS_INLINE_FUNCTION bool is_split(int level, const double middle[3]) const {
    const double ahead = middle[0] > plume_length ? middle[0] - plume_length : 0;
    const double across = from_axis(middle);
    const double near = std::sqrt(ahead * ahead + across * across) - 0.87 * width(level);
    return level == 0 ? near < 0.25 : level == 1 && near < 0.16;
  }

  // The number of a cell: its level, and its place among the cells of this level.
  static KOKKOS_INLINE_FUNCTION std::int64_t number(int level, const std::int64_t at[3]) {
    return (std::int64_t{level} << 48) | (at[2] << 32) | (at[1] << 16) | at[0];
  }
  static KOKKOS_INLINE_FUNCTION int level_of(std::int64_t cell) {
    return static_cast<int>(cell >> 48);
  }
  KOKKOS_INLINE_FUNCTION double width_of(std::int64_t cell) const { return width(level_of(cell)); }
  KOKKOS_INLINE_FUNCTION double middle_of(std::int64_t cell, int axis) const {
    return width_of(cell) * (static_cast<double>((cell >> (16 * axis)) & 0xffff) + 0.5);
  }

  // The leaf that contains a place; -1 outside of the cube.
  KOKKOS_INLINE_FUNCTION std::int64_t leaf_at(const double place[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (place[axis] < 0 || place[axis] >= 1) return -1;
    for (int level = 0;; ++level) {
      std::int64_t at[3];
      double middle[3];
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] = static_cast<std::int64_t>(place[axis] * (roots << level));
        middle[axis] = width(level) * (static_cast<double>(at[axis]) + 0.5);
      }
      if (!is_split(level, middle)) return number(level, at);
    }
  }

  // The leaf that touches a quarter of a face. Face 2 axis is the lower face of an axis, and face 2
  // axis + 1 is the upper one. Quarters are numbered along the two other axes in their order.
  KOKKOS_INLINE_FUNCTION std::int64_t neighbour(std::int64_t cell, int face, int quarter) const {
    const double width = width_of(cell);
    const int axis = face / 2, first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    double place[3] = {middle_of(cell, 0), middle_of(cell, 1), middle_of(cell, 2)};
    place[axis] += (face % 2 == 1 ? 0.625 : -0.625) * width;
    place[first] += (quarter % 2 == 1 ? 0.25 : -0.25) * width;
    place[second] += (quarter / 2 == 1 ? 0.25 : -0.25) * width;
    return leaf_at(place);
  }

  // Calls `visit` for each leaf in the tree of a coarse cell.
  template <class Visit>
  void for_each_leaf(int level, const std::int64_t at[3], const Visit& visit) const {
    const std::int64_t cell = number(level, at);
    const double middle[3] = {middle_of(cell, 0), middle_of(cell, 1), middle_of(cell, 2)};
    if (!is_split(level, middle)) return visit(cell);
    for (int child = 0; child < 8; ++child) {
      const std::int64_t of_child[3] = {2 * at[0] + child % 2, 2 * at[1] + child / 2 % 2,
                                        2 * at[2] + child / 4};
      for_each_leaf(level + 1, of_child, visit);
    }
  }
};
