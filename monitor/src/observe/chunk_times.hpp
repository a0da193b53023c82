#pragma once

// Finds the time of each stretch of objects from the chunks that the application has timed. The
// objects of a loop are divided into 128 stretches. A chunk is 1, 2, 4, 8, ... adjacent stretches:
// enough that its time is much longer than the cost of timing it.

#include <evenkeel/backends/exec/cycle_counter.hpp>
#include "observe/clock.hpp"

#include <span>

namespace evenkeel {

class ChunkTimes {
 public:
  static constexpr std::size_t stretches = 128;

  // A loop of a kernel over the objects of a set. In the list of times, a loop has 128 slots from
  // `first_slot` on, as many as it can have chunks.
  struct Loop {
    int kernel, set;
    std::size_t first_slot;
    std::size_t chunks = 16;  // number in this step; a power of 2
    std::int64_t objects = 0, runs = 0;
    std::int64_t since = 0;   // steps since the loop ran last, or since the first step
    std::int64_t period = 0;  // steps between the last two runs
  };

  // `scope` is the cost of timing a chunk, in nanoseconds.
  explicit ChunkTimes(double scope) : scope_(scope) {}

  // Returns the loop. If the loop is not known, adds it, with the slots from `first_slot` on.
  Loop& loop(int kernel, int set, std::size_t first_slot);
  bool knows(int kernel, int set) const noexcept { return find(kernel, set) != loops_.size(); }
  const std::vector<Loop>& loops() const noexcept { return loops_; }

  // Ends a step. `ticks` holds the time of each slot, summed over all threads. `counts` is false if
  // the measurements of the step cannot be trusted.
  void end_step(std::span<const std::int64_t> ticks, const TickRate& rate, bool counts);

  void forget() noexcept;
  const std::vector<StretchTimes>& times() const noexcept { return times_; }

 private:
  std::size_t find(int kernel, int set) const noexcept;

  double scope_;
  std::int64_t steps_ = 0;
  std::vector<Loop> loops_;
  std::vector<StretchTimes> times_;  // by loop
};

}  // namespace evenkeel
