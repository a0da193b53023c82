#pragma once

// How the solvent dries up: a drop of it fills the container at first, and shrinks into the corner
// until it is about as small as the gel can be. In between the solvent flows as the drop shrinks,
// everywhere alike: what was at x is at s x when the drop is s times as long as at first.

#include "units.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace drying {

constexpr double steps = 600;       // that it takes
constexpr double left_over = 0.53;  // of the length of the drop, at last

// The length of the drop at the end of a step, as a share of what it was at first.
inline double length_at(std::int64_t step) {
  const double done = std::fmin(1, static_cast<double>(step) / steps);
  return left_over + (1 - left_over) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

// What the flow does to a unit of length in a unit of time; negative: it shrinks.
inline double rate_at(std::int64_t step) {
  const double change = length_at(step + 1) - length_at(step > 0 ? step - 1 : 0);
  return change / (2 * time_step * length_at(step));
}

}  // namespace drying
