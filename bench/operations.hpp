#pragma once

// Work that only takes time.

#include "timing.hpp"

namespace evenkeel::bench {

// Does `count` multiplications and additions. Each waits for the result of the previous one.
[[gnu::noinline]] inline void compute(std::int64_t count) {
  static volatile double held = 1;
  double value = held;
  for (std::int64_t i = 0; i < count; ++i) value = value * 0.999999 + 1e-6;
  held = value;
}

// Collective. The number of operations that the slowest rank computes in this time; it is the same
// on all ranks.
inline double operations_in(const Communicator& ranks, double milliseconds) {
  constexpr std::int64_t trial = 1'000'000;
  std::vector<double> trials(9);
  for (double& time : trials) time = slowest_milliseconds(ranks, [] { compute(trial); });
  return milliseconds * trial / median(trials);
}

}  // namespace evenkeel::bench
