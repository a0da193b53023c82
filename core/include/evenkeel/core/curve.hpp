#pragma once

// From places to keys: a lattice over the box, and the Hilbert curve through its cells, on host and
// device. Cells are cubes, 2^21 along the box's longest side in three dimensions and 2^31 in two,
// so that a curve through them treats all axes alike.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/key.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cmath>
#include <cstdint>

namespace evenkeel {

// Levels of a lattice of `dimensions`: the bits of one coordinate of a cell.
KOKKOS_FUNCTION constexpr int lattice_levels(int dimensions) {
  return dimensions == 3 ? lattice_levels_in_3d : lattice_levels_in_2d;
}

// The cells of a box. Points on an upper face and outside belong to the nearest cell of the box;
// periodic axes wrap around. The same numbers give the same cell on host and device.
class Lattice {
 public:
  Lattice() = default;
  EVENKEEL_API Lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic);

  KOKKOS_FUNCTION int dimensions() const { return dimensions_; }

  // The coordinate of the cell along one axis, of a finite place on it.
  KOKKOS_FUNCTION std::uint32_t cell(int axis, double place) const {
    const Axis& along = axes_[axis];
    double from_lower = place * quarter - along.lower;
    if (along.period > 0) {
      from_lower = std::fmod(from_lower, along.period);  // exact, on devices too
      if (from_lower < 0) from_lower += along.period;
    }
    const double cell = from_lower * along.cells_per_length;
    if (!(cell > 0)) return 0;
    return static_cast<std::uint32_t>(cell < along.last ? cell : along.last);
  }

 private:
  // In quarters of the user's lengths: differences of the greatest numbers stay finite.
  static constexpr double quarter = 0.25;
  struct Axis {
    double lower = 0, cells_per_length = 0, period = 0;
    double last = 0;  // cell
  };
  int dimensions_ = 0;
  Axis axes_[3];  // plain arrays: device code may not call the members of std::array
};

// The lattice that a decomposition counts places in.
EVENKEEL_API Lattice lattice_of(const Decomposition& decomposition);

namespace detail {

template <int n>
KOKKOS_FUNCTION constexpr std::uint32_t rotate_right(std::uint32_t bits, int by) {
  constexpr std::uint32_t mask = (1U << n) - 1;
  by %= n;
  return ((bits >> by) | (bits << (n - by))) & mask;
}
template <int n>
KOKKOS_FUNCTION constexpr std::uint32_t rotate_left(std::uint32_t bits, int by) {
  return rotate_right<n>(bits, n - by % n);
}
KOKKOS_FUNCTION constexpr std::uint32_t gray(std::uint32_t number) {
  return number ^ (number >> 1);
}
KOKKOS_FUNCTION constexpr std::uint32_t inverse_gray(std::uint32_t code) {
  for (std::uint32_t shift = 1; shift < 4; shift *= 2) code ^= code >> shift;
  return code;
}
KOKKOS_FUNCTION constexpr int trailing_ones(std::uint32_t number) {
  int count = 0;
  for (; (number & 1U) != 0; number >>= 1) ++count;
  return count;
}

}  // namespace detail

// The key of a cell, level by level: each orthant's curve enters at a corner and leaves along an
// axis, and both depend on the orthants around it alone (C. Hamilton, Compact Hilbert Indices,
// Dalhousie University CS-2006-07, sections 2 and 3).
template <int n>
KOKKOS_FUNCTION HilbertKey hilbert_key(const std::uint32_t (&cell)[n]) {
  std::uint64_t key = 0;
  std::uint32_t entry = 0;
  int direction = 0;
  for (int level = lattice_levels(n) - 1; level >= 0; --level) {
    std::uint32_t orthant = 0;
    for (int axis = 0; axis < n; ++axis) orthant |= ((cell[axis] >> level) & 1U) << axis;
    const std::uint32_t place =
        detail::inverse_gray(detail::rotate_right<n>(orthant ^ entry, direction + 1));
    key = (key << n) | place;
    const std::uint32_t first = place == 0 ? 0 : detail::gray((place - 1) & ~1U);
    entry ^= detail::rotate_left<n>(first, direction + 1);
    const int turn = place == 0 ? 0 : detail::trailing_ones((place & 1U) != 0 ? place : place - 1);
    direction = (direction + turn + 1) % n;
  }
  return {key};
}

}  // namespace evenkeel
