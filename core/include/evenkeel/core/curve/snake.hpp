#pragma once

// The snake, on host and device: rows along the first axis, each walked against the one before it,
// and planes likewise, so that the curve never leaps. Its rows are as thick as cells: unlike the
// other curves it changes when the lattice gets coarser, and on a fine lattice its parts are slabs.

#include <evenkeel/core/curve/cell.hpp>
#include <evenkeel/core/key.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace evenkeel {

// Through the cells of a lattice of `used_levels` levels, at most `levels`.
template <int dimensions, class Bits = std::uint64_t>
struct SnakeCurve {
  using Key = KeyAlong<CurveKind::snake, dimensions, Bits>;
  static constexpr int levels = curve_levels<dimensions, Bits>;
  int used_levels = levels;

  KOKKOS_FUNCTION constexpr Key operator()(const Cell<dimensions>& cell) const {
    Bits key = cell.at[dimensions - 1];
    // A coordinate counts backwards where the row or plane around it is an odd one; rows and planes
    // have an even number of cells, so their parity is that of their own last digit.
    for (int axis = dimensions - 2; axis >= 0; --axis) {
      key = static_cast<Bits>(key << used_levels |
                              turned(cell.at[axis], static_cast<std::uint32_t>(key)));
    }
    return {key};
  }

  KOKKOS_FUNCTION constexpr Cell<dimensions> operator()(Key key) const {
    const auto digit = [&](int axis) {
      return static_cast<std::uint32_t>(key.value >> (axis * used_levels)) & last_coordinate();
    };
    Cell<dimensions> cell;
    cell.at[dimensions - 1] = digit(dimensions - 1);
    for (int axis = dimensions - 2; axis >= 0; --axis)
      cell.at[axis] = turned(digit(axis), digit(axis + 1));
    return cell;
  }

 private:
  // last - coordinate within an odd row, without a branch; all bits of `last` are ones.
  KOKKOS_FUNCTION constexpr std::uint32_t turned(std::uint32_t coordinate,
                                                 std::uint32_t row) const {
    return coordinate ^ (last_coordinate() & (0U - (row & 1U)));
  }
  KOKKOS_FUNCTION constexpr std::uint32_t last_coordinate() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << used_levels) - 1);
  }
};

}  // namespace evenkeel
