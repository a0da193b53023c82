#pragma once

// The limits of memory of ranks, the growth of the bytes of this rank's objects, and the fullest
// rank under each new cut. For all facades.

#include "observe/epoch.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/weights/bytes.hpp>
#include <evenkeel/monitor/options.hpp>

#include <deque>
#include <functional>

namespace evenkeel {

// Writes lines to the log of rank 0.
struct RebalanceLog {
  std::function<void(const std::string&)> warn, note;
};

class MemoryWatch {
 public:
  // `stage` is the place of its Errors.
  MemoryWatch(const char* stage, RebalanceLog log) : stage_(stage), log_(std::move(log)) {}

  // Collective. Takes the limits from the options. Throws an Error if the system does not report
  // its memory.
  void open(const Communicator& ranks, const Options& options);

  // The limit of each rank; empty if memory is not limited.
  std::span<const double> limits() const noexcept { return limits_; }
  bool is_limited() const noexcept { return !limits_.empty(); }

  // Local. Notes the bytes of this rank at the end of a step, and returns its statement for a look.
  // It is empty if memory is not limited.
  MemoryTotals at_look(int rank, double bytes, std::int64_t step);
  // The same for the bytes of sets. It is also empty if the sets are invalid.
  MemoryTotals at_look(int rank, std::span<const Set> sets, std::int64_t step);

  // These three calls belong to one rebalance, if memory is limited. most_share() is collective,
  // and returns the share of memory that a cut may fill. `bytes` are those of this rank before the
  // rebalance. A rebalance that frees memory leaves the fullest rank at most halfway between the
  // average share and its share before, and at most halfway to the limit. Later cuts leave as much
  // room as that, so that they do not undo it.
  double most_share(const Communicator& ranks, double bytes, bool frees_memory);
  // Call it on all ranks, with the bytes of each rank under the new cut. If the cut does not fit,
  // throws the same Error on all ranks for a first distribution, and warns once otherwise.
  void judge(int rank, std::span<const double> bytes, bool is_first);
  // `has_moved` is false if the objects stay where they were.
  void rebalanced(std::int64_t step, bool has_moved);

 private:
  struct BytesAtStep {
    std::int64_t step;
    double bytes;
  };
  std::int64_t steps_left(double limit) const;

  const char* stage_;
  RebalanceLog log_;
  std::vector<double> limits_;
  std::deque<BytesAtStep> looks_;  // the last ones, from the last move on
  double asks_above_ = 0;          // asks for no rebalance with fewer bytes
  bool leaves_room_ = false;       // true after a rebalance that frees memory
  bool is_too_full_ = false;       // true if the last cut did not fit
  // The bytes of this rank before and after the present rebalance, and whether it frees memory.
  double before_ = 0, after_ = 0;
  bool frees_memory_ = false;
  RankFill fullest_ = {};  // under the last cut
};

}  // namespace evenkeel
