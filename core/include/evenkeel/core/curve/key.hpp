#pragma once

// Keys: places along curves through the cells of a lattice. core/curve.hpp computes them. This
// header does not include Kokkos.

#include <evenkeel/backends/config.hpp>

#include <cstdint>

namespace evenkeel::stages {

// The kinds of curves.
enum class CurveKind : std::uint8_t {
  hilbert,  // neighbours on the curve are neighbours in space
  morton,   // bits interleaved, the first axis lowest
  snake     // row by row along the first axis, turning at each end
};
// The name in options and messages.
EVENKEEL_API const char* name_of(CurveKind kind) noexcept;

// The bits that a key has for each coordinate of a cell; one bit is left for the end of the curve.
template <int dimensions, class Bits>
inline constexpr int curve_levels = (static_cast<int>(8 * sizeof(Bits)) - 1) / dimensions;

// A place along one kind of curve. It has its own type, so that keys of different curves cannot be
// mixed up. `Bits` is std::uint32_t (10 levels in 3-D, 15 in 2-D) or std::uint64_t (21 and 31).
template <CurveKind kind, int dimensions, class Bits>
struct KeyAlong {
  Bits value = 0;
  friend constexpr bool operator==(const KeyAlong&, const KeyAlong&) = default;
  friend constexpr bool operator<(KeyAlong a, KeyAlong b) { return a.value < b.value; }
};

// A place along the curve of a lattice (core/curve.hpp), for any kind of curve. Orders, cuts and
// plans use it. Keys of a lattice with fewer levels end in zeros.
struct CurveKey {
  std::uint64_t value = 0;
  friend constexpr bool operator==(const CurveKey&, const CurveKey&) = default;
  friend constexpr bool operator<(CurveKey a, CurveKey b) { return a.value < b.value; }
};

// The bits that a CurveKey uses.
constexpr int curve_bits(int dimensions) {
  return dimensions == 3 ? 3 * curve_levels<3, std::uint64_t> : 2 * curve_levels<2, std::uint64_t>;
}

// One past the greatest key.
constexpr CurveKey end_of_curve(int dimensions) {
  return {std::uint64_t{1} << static_cast<unsigned>(curve_bits(dimensions))};
}

}  // namespace evenkeel::stages
