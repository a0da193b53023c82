#pragma once

// The limits of memory of a Balancer, and the growth of the bytes of this rank's objects.

#include "observe/epoch.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/weights/bytes.hpp>
#include <evenkeel/monitor/options.hpp>

#include <deque>

namespace evenkeel {

class MemoryWatch {
 public:
  // Collective. Takes the limits from the options. Throws an Error if the system does not report
  // its memory.
  void open(const Communicator& ranks, const Options& options);

  // The limit of each rank; empty if memory is not limited.
  std::span<const double> limits() const noexcept { return limits_; }
  bool is_limited() const noexcept { return !limits_.empty(); }

  // Local. Notes the bytes at the end of a step, and returns the statement of this rank for a look.
  // It is empty if memory is not limited or the sets are invalid.
  MemoryTotals at_look(int rank, std::span<const Set> sets, std::int64_t step);

  // Collective. The share of memory that a cut may fill. `bytes` are those of this rank before the
  // rebalance. A rebalance that frees memory leaves the fullest rank at most halfway
  // between the average share and its share before, and at most halfway to the limit. Later cuts
  // leave as much room as that, so that they do not undo it.
  double most_share(const Communicator& ranks, double bytes, bool frees_memory);

  // Call this after each rebalance at the end of a step, with the bytes of this rank now.
  void rebalanced(std::int64_t step, double bytes, bool has_moved, bool frees_memory);

 private:
  struct BytesAtStep {
    std::int64_t step;
    double bytes;
  };
  std::int64_t steps_left(double limit) const;

  std::vector<double> limits_;
  std::deque<BytesAtStep> looks_;  // the last ones, from the last move on
  double asks_above_ = 0;          // asks for no rebalance with fewer bytes
  bool leaves_room_ = false;       // true after a rebalance that frees memory
};

}  // namespace evenkeel
