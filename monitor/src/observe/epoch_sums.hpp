#pragma once

// The measurements of one rank in the running epoch, and since the last rebalance.
//
// A kernel that has run in every step counts with the number of steps times its truncated mean, so
// that a disturbed step (a page fault, a file, another program) does not look like load. Work that
// recurs every few steps is spread over its period, across epochs: otherwise an epoch with it would
// look heavier than one without, and truncation would leave out exactly the steps in which it runs.
// The period is declared, or found in a kernel that does not run in every step. Periods continue
// from epoch to epoch, until a rebalance gives this rank other work.

#include "observe/epoch.hpp"

#include <span>

namespace evenkeel {

// Nanoseconds of work. `now` is from the running epoch, and a share of it may turn out to be time
// waiting for a core; `before` is from earlier epochs, and free of waiting.
struct EpochWork {
  double before = 0, now = 0;

  double total() const noexcept { return before + now; }
  double working(double share) const noexcept { return before + share * now; }
};

// Work that is declared to recur every `every` steps: the sum over a window of that many steps.
// Runs are remembered one by one. In a window of more than 256 steps, runs within 1/256 of it are
// remembered together, and leave it bit by bit. So there are never more than about 600 entries.
class DeclaredWork {
 public:
  // Adds a step with this many nanoseconds; it counts if it belongs to the epoch.
  void add(std::int64_t nanoseconds, int every, bool counts);
  // The work of the epoch. For steps before the first, `mean` counts: the work in every step.
  double total(int every, double share, double mean) const;
  // The next epoch begins.
  void restart(double share);

 private:
  static constexpr std::size_t most_gone = 64;
  struct WorkRuns {
    std::int64_t first, last;  // steps
    EpochWork work;
  };
  void drop();

  std::vector<WorkRuns> runs_ = {};
  std::size_t gone_ = 0;     // the number of them that have left the window
  EpochWork sum_ = {};       // of the others
  std::int64_t steps_ = 0;   // so far
  EpochWork in_epoch_ = {};  // the window, summed over the steps of the epoch
  double unknown_ = 0;       // likewise, the share of the window before the first step
};

// Work that is found to recur: each run is spread over the gap since the run before it. After the
// last run, the rate of the last few runs continues, and fades when the next run is overdue. The
// next run shows the true rate. The work counted for steps of earlier epochs is then corrected bit
// by bit, over a few periods, so that in the long run nothing is lost or counted twice, and yet
// epochs stay comparable.
class FoundWork {
 public:
  FoundWork() = default;
  // For a kernel that first appears after `in_epoch` steps of the epoch and `before` earlier ones.
  FoundWork(std::int64_t in_epoch, std::int64_t before)
      : since_(before + in_epoch), open_(in_epoch), open_before_(before), in_epoch_(in_epoch) {}

  void add(std::int64_t nanoseconds, bool counts);
  double total(double share) const;  // of the epoch
  void restart(double share);
  // After a rebalance: forgets all but the period. `is_regular` says that the kernel ran in every
  // step since the rebalance before.
  void restart_all(bool is_regular);

 private:
  static constexpr std::size_t remembered = 4;
  struct WorkRun {
    double gap = 0;
    EpochWork work = {};
  };

  // A second run shows the period.
  bool is_single() const noexcept { return runs_ == 1 && period_ <= 0; }
  void run(const EpochWork& work);
  void pay();
  std::span<const WorkRun> last() const noexcept;
  double mean_gap() const noexcept;
  EpochWork rate() const noexcept;

  std::array<WorkRun, remembered> last_ = {};
  std::int64_t runs_ = 0;
  std::int64_t since_ = 0;                   // steps since the last run, or since the first step
  double period_ = 0;                        // from before the rebalance; 0 if unknown
  std::int64_t open_ = 0, open_before_ = 0;  // since then, counted: in this epoch, earlier
  std::int64_t in_epoch_ = 0;                // steps
  double guessed_before_ = 0;                // work counted for steps of earlier epochs
  EpochWork guessed_ = {}, spread_ = {};     // of the epoch: after the last run, and up to it
  EpochWork owed_ = {}, paid_ = {};          // corrections: to come, and in the epoch
};

class EpochSums {
 public:
  // The epoch so far: steps, load, duration, variance, kernels, phases and fit. `unit` is that of
  // the variance, see Totals.
  Sample sample(std::int64_t unit) const;

  // Adds a step. Kernels without an entry in `options` have the default options.
  void add(const Clock::Step& step, std::span<const std::int64_t> kernels,
           std::span<const KernelOptions> options = {});

  // Takes in a step that does not count, such as the one after a rebalance: it may have the first
  // run of work that is declared to recur, or was known to recur before the rebalance.
  void hint(std::span<const std::int64_t> kernels, std::span<const KernelOptions> options = {});

  // Leaves out `waited` nanoseconds of the running epoch, in which the rank waited for a core. All
  // work loses the same share, less the share that truncation has left out already.
  void leave_out(std::int64_t waited);

  // To be called if a step could not be added: forgets all kernels. The sample of the epoch is
  // unfit.
  void forget() noexcept;

  // The next epoch begins.
  void restart();
  // The next epoch begins, after a rebalance.
  void restart_all();

  std::int64_t steps() const noexcept { return steps_; }
  // Nanoseconds per step since the last rebalance; 0 before the first measurement.
  std::int64_t mean_load() const;
  // The same for the running epoch.
  std::int64_t epoch_load() const;

 private:
  // Long epochs are truncated in chunks of this many steps, of which the last two are kept.
  static constexpr std::size_t chunk = 64;

  struct SummedKernel {
    KernelOptions options;
    std::int64_t ran = 0, ran_before = 0;  // steps: of the epoch, and before it since a rebalance
    std::int64_t closed_sum = 0, closed_truncated = 0;  // of the chunks that are no longer kept
    std::vector<std::int64_t> kept = {};                // nanoseconds by step
    DeclaredWork declared = {};
    FoundWork found = {};

    bool is_declared() const noexcept { return options.every > 1; }
    // Adds a step to the recurring work.
    void recur(std::int64_t nanoseconds, bool counts);
  };

  void know(std::size_t kernels, std::span<const KernelOptions> options);
  bool recurs(const SummedKernel& kernel) const noexcept;
  std::int64_t total(const SummedKernel& kernel) const;
  std::int64_t recurring_total(const SummedKernel& kernel) const;
  std::int64_t load() const;
  double variance_of(std::size_t begin, std::size_t count) const;
  void close_chunk();

  std::vector<SummedKernel> kernels_;
  std::int64_t steps_ = 0;
  std::size_t kept_steps_ = 0;
  double closed_variance_ = 0;
  std::int64_t duration_ = 0;
  double working_share_ = 1;  // of the time; in the rest this rank waited for a core
  bool fit_ = true;
  std::int64_t load_since_ = 0, steps_since_ = 0;  // of epochs that have ended
};

}  // namespace evenkeel
