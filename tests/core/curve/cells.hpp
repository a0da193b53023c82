#pragma once

// Cells for the tests of curves, and the distances between cells.

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/curve/key.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace evenkeel::test {

// The distance between neighbouring cells is one.
template <int n>
std::int64_t distance(const Cell<n>& a, const Cell<n>& b) {
  std::int64_t sum = 0;
  for (int axis = 0; axis < n; ++axis)
    sum += std::abs(std::int64_t{a.at[axis]} - std::int64_t{b.at[axis]});
  return sum;
}

// Enumerates all cells of a cube of 2^levels a side.
template <int n>
Cell<n> cell_in_cube(std::uint64_t number, int levels) {
  Cell<n> cell;
  for (int axis = 0; axis < n; ++axis)
    cell.at[axis] = static_cast<std::uint32_t>(number >> (levels * axis)) & ((1U << levels) - 1);
  return cell;
}

template <int n>
constexpr Cell<n> all_at(std::uint32_t coordinate) {
  Cell<n> cell;
  for (std::uint32_t& at : cell.at) at = coordinate;
  return cell;
}

// The greatest coordinate of `levels` levels.
constexpr std::uint32_t last_of(int levels) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << levels) - 1);
}

template <int n>
Cell<n> random_cell(std::mt19937_64& random, int levels) {
  Cell<n> cell;
  for (std::uint32_t& at : cell.at) at = static_cast<std::uint32_t>(random()) & last_of(levels);
  return cell;
}

// The long key of a place must begin with its short key.
template <template <int, class> class Curve, int n>
void expect_short_keys_begin_long_ones() {
  constexpr int levels = curve_levels<n, std::uint64_t>;
  constexpr int spare = levels - curve_levels<n, std::uint32_t>;
  std::mt19937_64 random(8);
  for (int repeat = 0; repeat < 5000; ++repeat) {
    const Cell<n> fine = random_cell<n>(random, levels);
    Cell<n> coarse = fine;
    for (std::uint32_t& at : coarse.at) at >>= spare;
    ASSERT_EQ((Curve<n, std::uint32_t>()(coarse).value),
              (Curve<n, std::uint64_t>()(fine).value >> (n * spare)));
  }
}

// One dimension and one type of key.
template <int dimensions, class BitsOfKey>
struct Kind {
  static constexpr int n = dimensions;
  using Bits = BitsOfKey;
  static constexpr int levels = curve_levels<n, Bits>;
};
using Kinds = testing::Types<Kind<2, std::uint32_t>, Kind<2, std::uint64_t>, Kind<3, std::uint32_t>,
                             Kind<3, std::uint64_t>>;

}  // namespace evenkeel::test
