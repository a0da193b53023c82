#pragma once

// The cost of the rebalances since the last look. In the step after a rebalance, the application
// works on cold caches and rebuilds derived data. So the cost includes the time by which this step
// exceeds the median of later steps. The application may also note seconds that it has spent, for
// example to move further data. They do not count in the excess.
//
// If objects may move in some steps only (StepOptions::may_move), the application often does
// something special at these gates, whether objects move or not. The usual excess of the steps
// after gates at which nothing moved is not a cost of a rebalance.

#include "observe/epoch.hpp"
#include "observe/work_clock.hpp"

namespace evenkeel {

class RebalanceCost {
 public:
  void add(double seconds, std::int64_t bytes) noexcept;
  // The first distribution is always needed, so it is reported apart. If `is_whole` is false, the
  // seconds do not contain the moving of all these bytes. Then nothing is reported until the
  // application notes the rest.
  void add_first(double seconds, std::int64_t bytes, bool is_whole = true) noexcept;
  // Adds seconds that the application has spent for the last rebalance. Returns false if there was
  // no rebalance since the last step ended.
  bool note(double seconds) noexcept;

  // Call this after a rebalance. The next step will be compared with later steps.
  void begin_settling(WorkClock& clock) noexcept;
  // Call this at the end of a step. `may_move` is true if objects may move after it.
  void end_step(const Clock::Step& step, bool may_move, WorkClock& clock) noexcept;
  // Compares the step after the rebalance with the later steps so far, and adds the excess to the
  // cost.
  void end_settling() noexcept;

  // Moves the costs into the sample. If there is no step with which the step after a rebalance
  // could be compared, its cost waits for the next sample, unless this one `is_last`.
  void tell(Sample& sample, bool is_last) noexcept;

 private:
  static constexpr std::size_t most_later = 15, most_gates = 9;

  // A time in nanoseconds of a step, in kernels and outside of them.
  struct Parts {
    std::int64_t in_kernels = 0, beside = 0;
  };
  // Values of which the median is needed.
  template <std::size_t size>
  struct Recent {
    std::array<Parts, size> parts{};  // the latest replaces the oldest
    std::size_t count = 0;

    void add(const Parts& of_step) noexcept { parts[count++ % size] = of_step; }
    Parts median() const noexcept;  // 0 without values
  };
  // The step after a rebalance or a gate, and the steps after that one.
  struct SpecialStep {
    enum class Kind { none, gate, rebalance } kind = Kind::none;
    Parts parts;
    Recent<most_later> later;
  };

  Parts parts_of(const Clock::Step& step, bool has_moved, WorkClock& clock) const noexcept;
  void end_comparison() noexcept;

  // Nanoseconds of rebalances, bytes that they moved, and extra nanoseconds of the steps after
  // them: outside of kernels, noted by the application, and in kernels. Noise of kernels may make
  // the last number negative.
  std::int64_t cost_ = 0, bytes_ = 0, rebuild_ = 0, noted_ = 0, extra_ = 0;
  std::int64_t rebalances_ = 0;
  std::int64_t first_cost_ = 0, first_bytes_ = 0;
  bool is_first_whole_ = false;

  // The last rebalance since the last step ended, and the nanoseconds noted since then.
  enum class Latest { none, first, later } latest_ = Latest::none;
  std::int64_t noted_in_step_ = 0;
  bool has_moved_ = false;     // since the last step
  bool was_gate_ = false;      // objects might have moved after the last step
  bool has_gates_ = false;     // in some steps nothing may move
  std::int64_t moved_at_ = 0;  // reading of the clock after the rebalance
  std::int64_t waited_ = 0;    // for a core, at the begin of the running step
  SpecialStep special_;
  Recent<most_gates> gates_;  // excess of the steps after gates at which nothing moved
};

}  // namespace evenkeel
