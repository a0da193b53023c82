#pragma once

// Computes the curves key by key and bit by bit. These functions are oracles, and the reference of
// the benchmarks. They share only cells and keys with core/curve.

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/curve/key.hpp>

namespace evenkeel::test {

namespace bitwise {

template <int n>
constexpr std::uint32_t rotate_right(std::uint32_t bits, int by) {
  constexpr std::uint32_t mask = (1U << n) - 1;
  by %= n;
  return ((bits >> by) | (bits << (n - by))) & mask;
}
template <int n>
constexpr std::uint32_t rotate_left(std::uint32_t bits, int by) {
  return rotate_right<n>(bits, n - by % n);
}
constexpr std::uint32_t gray(std::uint32_t number) { return number ^ (number >> 1); }
constexpr std::uint32_t inverse_gray(std::uint32_t code) {
  for (std::uint32_t shift = 1; shift < 4; shift *= 2) code ^= code >> shift;
  return code;
}
constexpr int trailing_ones(std::uint32_t number) {
  int count = 0;
  for (; (number & 1U) != 0; number >>= 1) ++count;
  return count;
}

}  // namespace bitwise

// C. Hamilton, Compact Hilbert Indices, Dalhousie University CS-2006-07, algorithm 2.
template <int n, class Bits>
constexpr Bits hilbert_bitwise(const Cell<n>& cell) {
  Bits key = 0;
  std::uint32_t entry = 0;
  int direction = 0;
  for (int level = curve_levels<n, Bits> - 1; level >= 0; --level) {
    std::uint32_t orthant = 0;
    for (int axis = 0; axis < n; ++axis) orthant |= ((cell.at[axis] >> level) & 1U) << axis;
    const std::uint32_t place =
        bitwise::inverse_gray(bitwise::rotate_right<n>(orthant ^ entry, direction + 1));
    key = static_cast<Bits>((key << n) | place);
    const std::uint32_t first = place == 0 ? 0 : bitwise::gray((place - 1) & ~1U);
    entry ^= bitwise::rotate_left<n>(first, direction + 1);
    const int turn = place == 0 ? 0 : bitwise::trailing_ones((place & 1U) != 0 ? place : place - 1);
    direction = (direction + turn + 1) % n;
  }
  return key;
}

template <int n, class Bits>
constexpr Bits morton_bitwise(const Cell<n>& cell) {
  Bits key = 0;
  for (int bit = 0; bit < curve_levels<n, Bits>; ++bit)
    for (int axis = 0; axis < n; ++axis)
      key |= static_cast<Bits>((cell.at[axis] >> bit) & 1U) << (n * bit + axis);
  return key;
}

}  // namespace evenkeel::test
