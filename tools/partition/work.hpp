#pragma once

// How much work parts have: from the part of each object and its weight alone, and the same however
// objects are spread over ranks.

#include "partition/objects.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::tool {

// Weights are summed as whole numbers of one unit, a power of two so small that sums have 62 bits.
// Refers to the objects.
class WorkCounter {
 public:
  // Collective.
  WorkCounter(const Communicator& communicator, const Objects& objects);

  // The greatest weight; 1 when counting, 0 without objects.
  double heaviest_object() const noexcept { return heaviest_; }

  // Collective. Of each of so many parts, given the part of each object of this rank. `status` is
  // what the caller brings to the vote that this begins with. An Error when the work of all is more
  // than a number can hold.
  std::vector<double> of_parts(const Status& status, std::span<const std::int32_t> part_of_object,
                               int parts) const;

 private:
  std::int64_t units_of(double weight) const;

  const Communicator& communicator_;
  const Objects& objects_;
  double heaviest_ = 0;
  int exponent_ = 0;                             // a unit is 2^exponent_
  double first_factor_ = 1, second_factor_ = 1;  // together 2^-exponent_, which may overflow
};

}  // namespace evenkeel::tool
