#pragma once

// The solvent dries up. A drop of solvent fills the container at first, and shrinks into the corner
// until it is about as small as the gel can be. The flow of the solvent shrinks all lengths
// equally: when the drop is s times as long as at first, a point that was at x is at s x.

#include "units.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace drying {

constexpr double steps = 600;       // until the drop has its last length
constexpr double left_over = 0.53;  // the last length of the drop over its first

// The length of the drop after `step` steps, as a share of its first length.
inline double length_at(std::int64_t step) {
  const double done = std::fmin(1, static_cast<double>(step) / steps);
  return left_over + (1 - left_over) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

// The growth of a unit of length in the flow, per unit of time; negative if it shrinks.
inline double rate_at(std::int64_t step) {
  const double change = length_at(step + 1) - length_at(step > 0 ? step - 1 : 0);
  return change / (2 * time_step * length_at(step));
}

}  // namespace drying
