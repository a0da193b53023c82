#pragma once

// The pace of a rank: how long a fixed piece of work takes on it. The piece does not depend on the
// objects, so a slow rank differs from a rank with much work.

#include "observe/epoch.hpp"

namespace evenkeel {

// Runs the piece of work that this library has, and returns the nanoseconds of CPU time that it has
// taken.
std::int64_t built_in_probe() noexcept;

class Pace {
 public:
  // `probe` runs a piece of work and returns its nanoseconds. Without it, nothing is measured.
  explicit Pace(OwnClock probe) : probe_(std::move(probe)) {}

  explicit operator bool() const noexcept { return static_cast<bool>(probe_); }

  // Runs the probe a few times. `waited` is the share of the epoch in which this rank waited for a
  // core, from 0 to 1: with it, all work takes longer.
  void measure(double waited) noexcept;

  // The contribution of this rank: the mean of the last measurements. `slow` is the rank that is
  // known to be slow, or -1. `took` is the time of the last measurement.
  PaceTally tally(int rank, int slow, std::int64_t took) const noexcept;

 private:
  static constexpr std::size_t remembered = 8, tries = 31;

  OwnClock probe_;
  // Logarithms of nanoseconds, the oldest first, and the shares of waiting.
  std::array<double, remembered> paces_{}, waits_{};
  std::size_t known_ = 0;
};

}  // namespace evenkeel
