#pragma once

// The definitions of lambda and of the imbalance, for loads of ranks, parts and grids, and the
// numbers that can be targets for lambda.

#include <evenkeel/backends/config.hpp>

#include <limits>
#include <span>

namespace evenkeel {

// Returns greatest load / average load. 1 is perfect. If all loads are 0, the result is 1. Loads
// must not be negative.
EVENKEEL_API double lambda_of(std::span<const double> loads) noexcept;
// Returns greatest time / average time, if a load takes the time load / speed, and the average is
// the time that all loads together take at the sum of the speeds. Without speeds, all are equal.
EVENKEEL_API double lambda_of(std::span<const double> loads,
                              std::span<const double> speeds) noexcept;
inline double lambda_of(double greatest, double sum, double parts) noexcept {
  if (!(sum > 0 && parts > 0)) return 1;
  const double lambda = greatest * parts / sum;
  return lambda < std::numeric_limits<double>::infinity() ? lambda : greatest / sum * parts;
}

// Returns average load / greatest load, the quality of a partition (Miguet and Pierson, 1997). 1 is
// perfect.
inline double quality_of(std::span<const double> loads) noexcept { return 1 / lambda_of(loads); }

// Returns (greatest - average) / greatest * parts / (parts - 1) * 100. 0 is perfect, and 100 means
// that one part has all work. If all loads are 0 or there is only one part, the result is 0.
inline double imbalance_percent_of(double greatest, double sum, double parts) noexcept {
  if (!(sum > 0) || parts < 2) return 0;
  return 100 * (greatest - sum / parts) / greatest * parts / (parts - 1);
}

// --- Targets -------------------------------------------------------------------------------------

// True if the number can be a target for lambda.
inline bool is_target_lambda(double number) noexcept {
  return number >= 1 && number < std::numeric_limits<double>::infinity();
}
// The allowed targets, for Errors: a number below 1 may be meant as a share above the average.
inline constexpr const char* target_lambdas =
    "a lambda (greatest over average) of at least 1: 1.03 allows 3 % above the average";

}  // namespace evenkeel
