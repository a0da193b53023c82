#pragma once

// The sites of a power diagram.

#include <evenkeel/backends/config.hpp>

#include <array>
#include <cstdint>

namespace evenkeel::stages {

// The cost of a place for a site is the square of their distance, minus the weight of the site. A
// place belongs to the site with the least cost, and among several such sites to the first one.
// Lengths are counted in cells of a lattice through the box, with `power_levels` levels. So all
// costs are integers, and are the same on every machine.
struct PowerSite {
  std::array<std::int32_t, 3> anchor = {};  // a cell of the lattice
  std::int64_t weight = 0;  // at least -most_power_weight, at most most_power_weight
  friend bool operator==(const PowerSite&, const PowerSite&) = default;
};

// The longest side of the box has 2^power_levels cells. With these limits, a double holds each cost
// exactly.
inline constexpr int power_levels = 21;
inline constexpr std::int64_t most_power_weight = std::int64_t{1} << 50;

}  // namespace evenkeel::stages
