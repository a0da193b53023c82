#pragma once

// A place along a curve. Free of Kokkos; core/curve.hpp computes it.

#include <cstdint>

namespace evenkeel {

// Along the Hilbert curve: 63 bits in three dimensions, 62 in two.
struct HilbertKey {
  std::uint64_t value = 0;
  friend constexpr bool operator==(const HilbertKey&, const HilbertKey&) = default;
  friend constexpr bool operator<(HilbertKey a, HilbertKey b) { return a.value < b.value; }
};

// Bits of one coordinate of a cell.
inline constexpr int lattice_levels_in_2d = 31, lattice_levels_in_3d = 21;

// One past the greatest key.
constexpr HilbertKey end_of_curve(int dimensions) {
  const int bits = dimensions == 3 ? 3 * lattice_levels_in_3d : 2 * lattice_levels_in_2d;
  return {std::uint64_t{1} << static_cast<unsigned>(bits)};
}

}  // namespace evenkeel
