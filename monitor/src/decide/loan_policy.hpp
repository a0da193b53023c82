#pragma once

// Decides whether a kernel's objects are lent, from what lending has taken so far. All ranks give
// it the same numbers, so they come to the same decisions.

#include <cstdint>

namespace evenkeel {

class LoanPolicy {
 public:
  // Times are in nanoseconds. The work that ranks expect in a call:
  struct Expected {
    std::int64_t mean, greatest;
  };
  // The figures of a call with lending, before it: the greatest work of a rank, and the most bytes
  // that a rank sends.
  struct Plan {
    std::int64_t greatest, bytes;
  };
  // The figures of a call with lending, after it. `span` is the time that the slowest rank took for
  // all, `work` is the most that a rank worked, and `home` what it would have been without lending.
  struct Measured {
    std::int64_t span, work, home;
  };

  // True if it is worth the time to make a plan. Call it once per call of the kernel.
  bool plans(const Expected& expected) noexcept;
  // True if the plan takes less time than it saves.
  bool pays(const Expected& expected, const Plan& plan) noexcept;
  void learn(const Plan& plan, const Measured& measured) noexcept;

  // The nanoseconds that lending takes in a call besides work.
  double price(std::int64_t bytes) const noexcept;

 private:
  void rest() noexcept;

  double fixed_ = 100e3, per_byte_ = 0.5;
  int losses_ = 0;                       // in a row
  std::int64_t pause_ = 0, waited_ = 0;  // calls in which nothing is planned, and those so far
  double gain_at_rest_ = 0;              // the gain that was expected when the pause began
};

}  // namespace evenkeel
