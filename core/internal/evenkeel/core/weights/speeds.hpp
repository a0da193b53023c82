#pragma once

// The relative speeds of parts or ranks. A part of speed 2 does twice the work of a part of speed 1
// in the same time, so its share of the work is twice as large. An empty list of speeds means that
// all parts are equally fast.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace evenkeel {

// Throws an Error of the stage unless there are no speeds, or one for each part, and all of them
// are positive and finite, with a finite sum.
EVENKEEL_API void check_speeds(const detail::Refusal& refuse, std::span<const double> speeds,
                               int parts);

// Returns the speeds, or an empty list if all of them are equal: then domains are the same as
// without speeds.
EVENKEEL_API std::span<const double> unless_equal(std::span<const double> speeds) noexcept;

// Returns the speed of each part, given those of ranks. If `rank_of_part` is empty, part p is rank
// p.
EVENKEEL_API std::vector<double> speeds_of_parts(std::span<const double> speeds,
                                                 std::span<const int> rank_of_part);

// The sum of the speeds before each part. The sum of equal speeds of 1 is exact.
class SpeedsBefore {
 public:
  SpeedsBefore() : sums_(1, 0.0) {}
  explicit SpeedsBefore(std::span<const double> speeds) : SpeedsBefore() {
    sums_.reserve(speeds.size() + 1);
    for (const double speed : speeds) sums_.push_back(sums_.back() + speed);
  }
  double operator[](std::size_t part) const noexcept { return sums_[part]; }
  double all() const noexcept { return sums_.back(); }

 private:
  std::vector<double> sums_;
};

}  // namespace evenkeel
