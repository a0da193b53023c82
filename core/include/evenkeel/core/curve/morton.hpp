#pragma once

// The Morton curve, on host and device: cell -> key and back. Bit b of axis a is bit n b + a of the
// key.

#include <evenkeel/core/curve/cell.hpp>
#include <evenkeel/core/key.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace evenkeel {

namespace morton {

// Moves bit b to bit n b; the number has 21 bits in 3-D and 32 in 2-D.
template <int n>
KOKKOS_FUNCTION constexpr std::uint64_t spread(std::uint64_t bits) {
  if constexpr (n == 3) {
    bits = (bits | bits << 32) & 0x001F00000000FFFF;
    bits = (bits | bits << 16) & 0x001F0000FF0000FF;
    bits = (bits | bits << 8) & 0x100F00F00F00F00F;
    bits = (bits | bits << 4) & 0x10C30C30C30C30C3;
    return (bits | bits << 2) & 0x1249249249249249;
  } else {
    bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
    bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
  }
}

// Moves bit n b to bit b and drops the others.
template <int n>
KOKKOS_FUNCTION constexpr std::uint64_t gather(std::uint64_t bits) {
  if constexpr (n == 3) {
    bits &= 0x1249249249249249;
    bits = (bits | bits >> 2) & 0x10C30C30C30C30C3;
    bits = (bits | bits >> 4) & 0x100F00F00F00F00F;
    bits = (bits | bits >> 8) & 0x001F0000FF0000FF;
    bits = (bits | bits >> 16) & 0x001F00000000FFFF;
    return (bits | bits >> 32) & 0x00000000001FFFFF;
  } else {
    bits &= 0x5555555555555555;
    bits = (bits | bits >> 1) & 0x3333333333333333;
    bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF;
    bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF;
    return (bits | bits >> 16) & 0x00000000FFFFFFFF;
  }
}

}  // namespace morton

// The curve as a function object: from a cell to its key, and from a key to its cell.
template <int dimensions, class Bits = std::uint64_t>
struct MortonCurve {
  using Key = KeyAlong<CurveKind::morton, dimensions, Bits>;
  static constexpr int levels = curve_levels<dimensions, Bits>;

  KOKKOS_FUNCTION constexpr Key operator()(const Cell<dimensions>& cell) const {
    std::uint64_t key = 0;
    for (int axis = 0; axis < dimensions; ++axis)
      key |= morton::spread<dimensions>(cell.at[axis]) << axis;
    return {static_cast<Bits>(key)};
  }

  KOKKOS_FUNCTION constexpr Cell<dimensions> operator()(Key key) const {
    Cell<dimensions> cell;
    for (int axis = 0; axis < dimensions; ++axis)
      cell.at[axis] =
          static_cast<std::uint32_t>(morton::gather<dimensions>(std::uint64_t{key.value} >> axis));
    return cell;
  }
};

}  // namespace evenkeel
