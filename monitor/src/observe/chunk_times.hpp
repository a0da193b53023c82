#pragma once

// How long each stretch of objects took, by the chunks that the application has timed. The objects
// of a loop are divided into 128 stretches; a chunk is one of them or 2, 4, 8, ... that lie side by
// side, as long as it has to be for its time to be much more than what timing it takes.

#include <evenkeel/backends/exec/cycle_counter.hpp>
#include <evenkeel/monitor/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

class ChunkTimes {
 public:
  static constexpr std::size_t stretches = 128;

  // A loop of a kernel over the objects of a set. Its chunks write to places of their own in the
  // list of all that is timed: as many as there are stretches, from `first_slot` on.
  struct Loop {
    int kernel, set;
    std::size_t first_slot;
    std::size_t chunks = 16;  // in this step; a power of 2
    std::int64_t objects = 0, runs = 0;
    std::int64_t since = 0;   // steps since it ran last, or since the first step
    std::int64_t period = 0;  // from the run before the last to the last
  };

  // `scope`: the nanoseconds that it takes to time a chunk.
  explicit ChunkTimes(double scope) : scope_(scope) {}

  // The loop, made with `first_slot` where it is not known yet.
  Loop& loop(int kernel, int set, std::size_t first_slot);
  bool knows(int kernel, int set) const noexcept { return find(kernel, set) != loops_.size(); }
  const std::vector<Loop>& loops() const noexcept { return loops_; }

  // A step has ended. `ticks`: by slot, of all threads together. `counts`: it can be trusted.
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
