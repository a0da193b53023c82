#pragma once

// The work of each part. It depends only on the part and the weight of each object, not on how
// objects are distributed over ranks.

#include "partition/objects.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::tool {

// Sums weights as whole numbers of one unit. The unit is a power of two, so small that sums have 62
// bits. Keeps a reference to the objects.
class WorkCounter {
 public:
  // Collective.
  WorkCounter(const Communicator& communicator, const FileObjects& objects);

  // The greatest weight; 1 when counting, 0 without objects.
  double heaviest_object() const noexcept { return heaviest_; }

  // Collective. Returns the work of each of `parts` parts, from the part of each of this rank's
  // objects. Begins with a vote on the caller's `status`. Throws an Error if the total work
  // overflows.
  std::vector<double> of_parts(const Status& status, std::span<const std::int32_t> part_of_object,
                               int parts) const;

  // Collective. The same, with the centre of the work of each part, for places in this box. The
  // centres are rounded, so that they do not depend on how objects are distributed either.
  std::vector<WorkRounds::Measured> of_parts_with_centres(
      const Status& status, std::span<const std::int32_t> part_of_object, int parts,
      const Box& box) const;

 private:
  std::int64_t units_of(double weight) const;

  const Communicator& communicator_;
  const FileObjects& objects_;
  double heaviest_ = 0;
  int exponent_ = 0;                             // a unit is 2^exponent_
  double first_factor_ = 1, second_factor_ = 1;  // their product 2^-exponent_ may overflow
};

// Summarises the work of all parts. With speeds, the greatest work is that of a part of mean speed
// that takes as long as the slowest part.
LoadSummary summary_of(std::span<const double> work, std::span<const double> speeds);

}  // namespace evenkeel::tool
