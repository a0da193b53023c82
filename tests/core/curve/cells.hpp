#pragma once

// What the tests of curves share: cells, and how far they are apart.

#include <evenkeel/core/curve/cell.hpp>
#include <evenkeel/core/key.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace evenkeel::test {

// Side by side cells are one apart.
template <int n>
std::int64_t distance(const Cell<n>& a, const Cell<n>& b) {
  std::int64_t sum = 0;
  for (int axis = 0; axis < n; ++axis)
    sum += std::abs(std::int64_t{a.at[axis]} - std::int64_t{b.at[axis]});
  return sum;
}

// All cells of a cube of 2^levels a side, one by one.
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
