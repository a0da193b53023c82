#pragma once

// The measurements of one rank in the running epoch, and since the last rebalance.
//
// The time of a kernel that has run in every step is the number of steps times its truncated mean.
// So a step that a page fault, a file or another program has disturbed does not look like load.
// Work that recurs every few steps is spread over its period, across epochs. Otherwise an epoch
// with a run of this work would look heavier than an epoch without a run, and truncation would
// leave out just the steps in which it runs. The application can declare the period. If it does
// not, the period is found for each kernel that does not run in every step. The sums over periods
// continue from epoch to epoch, until a rebalance gives this rank other work.

#include "observe/clock.hpp"
#include "observe/epoch.hpp"

#include <span>

namespace evenkeel {

// Nanoseconds of work. `now` is from the running epoch; at its end, a share of it may turn out to
// be waiting for a core. `before` is from earlier epochs, without such waiting.
struct EpochWork {
  double before = 0, now = 0;

  double total() const noexcept { return before + now; }
  double working(double share) const noexcept { return before + share * now; }
};

// Work that is declared to recur every `every` steps: the sum over a window of the last `every`
// steps. In a window of up to 256 steps, each run has an entry. In a longer window, runs within
// 1/256 of the window share an entry, which leaves the window step by step. So there are never more
// than about 600 entries.
class DeclaredWork {
 public:
  // Adds a step with this many nanoseconds of work. `counts` is true if the step belongs to the
  // epoch.
  void add(std::int64_t nanoseconds, int every, bool counts);
  // The work of the epoch. If a window begins before the first step, each missing step counts with
  // `mean` nanoseconds.
  double total(int every, double share, double mean) const;
  // Begins the next epoch. `share` is the share of the last epoch that was not waiting for a core.
  void restart(double share);

 private:
  static constexpr std::size_t most_gone = 64;
  struct WorkRuns {
    std::int64_t first, last;  // steps
    EpochWork work;
  };
  void drop();

  std::vector<WorkRuns> runs_ = {};
  std::size_t gone_ = 0;     // the number of entries that have left the window
  EpochWork sum_ = {};       // of the entries in the window
  std::int64_t steps_ = 0;   // number of steps so far
  EpochWork in_epoch_ = {};  // the work in the window, summed over the steps of the epoch
  // The share of the window that is before the first step, summed over the steps of the epoch.
  double unknown_ = 0;
};

// Work that is found to recur. Each run is spread over the steps since the run before it. For the
// steps after the last run, a guess counts: the rate of the last few runs, which fades when the
// next run is overdue. The next run shows the true rate. Then the guesses in earlier epochs are
// corrected little by little, over a few periods. So in the long run no work is lost or counted
// twice, and epochs stay comparable.
class FoundWork {
 public:
  FoundWork() = default;
  // For a kernel that first appears after `in_epoch` steps of the epoch, and `before` steps of
  // earlier epochs.
  FoundWork(std::int64_t in_epoch, std::int64_t before)
      : since_(before + in_epoch), open_(in_epoch), open_before_(before), in_epoch_(in_epoch) {}

  void add(std::int64_t nanoseconds, bool counts);
  double total(double share) const;  // of the epoch
  void restart(double share);
  // Call this after a rebalance. Forgets all but the period. `is_regular` is true if the kernel ran
  // in every step between the last two rebalances.
  void restart_all(bool is_regular);

 private:
  static constexpr std::size_t remembered = 4;
  struct WorkRun {
    double gap = 0;
    EpochWork work = {};
  };

  // True if there is one run without a known period; a second run will show the period.
  bool is_single() const noexcept { return runs_ == 1 && period_ <= 0; }
  void run(const EpochWork& work);
  void pay();
  std::span<const WorkRun> last() const noexcept;
  double mean_gap() const noexcept;
  EpochWork rate() const noexcept;

  std::array<WorkRun, remembered> last_ = {};
  std::int64_t runs_ = 0;
  std::int64_t since_ = 0;  // steps since the last run, or since the first step
  double period_ = 0;       // steps, from before the last rebalance; 0 if unknown
  // The steps of `since_` that count: those in this epoch, and those in earlier epochs.
  std::int64_t open_ = 0, open_before_ = 0;
  std::int64_t in_epoch_ = 0;  // steps of this epoch
  double guessed_before_ = 0;  // nanoseconds guessed for the steps of `open_before_`
  // Work that this epoch counts: guesses since the last run, and the shares of runs.
  EpochWork guessed_ = {}, spread_ = {};
  EpochWork owed_ = {}, paid_ = {};  // corrections: still to come, and made in this epoch
};

class EpochSums {
 public:
  // The epoch so far: steps, load, duration, variance, kernels, phases and fit. The variance is in
  // the square of `unit`, see Totals.
  Sample sample(std::int64_t unit) const;

  // Adds a step. Kernels without an entry in `options` have the default options.
  void add(const Clock::Step& step, std::span<const std::int64_t> kernels,
           std::span<const KernelOptions> options = {});

  // Takes in a step that is not measured, such as the step after a rebalance. It may contain the
  // first run of work that is declared to recur, or was known to recur before the rebalance.
  void hint(std::span<const std::int64_t> kernels, std::span<const KernelOptions> options = {});

  // Subtracts `waited` nanoseconds of the running epoch, in which the rank waited for a core. Each
  // kernel loses the same share of its time. Time that truncation already leaves out counts towards
  // this share and is not subtracted again.
  void leave_out(std::int64_t waited);
  // The share of the running epoch in which this rank did not wait for a core.
  double working_share() const noexcept { return working_share_; }

  // Call this if a step could not be added. Forgets all kernels; the sample of the epoch is then
  // unfit.
  void forget() noexcept;

  // Begins the next epoch.
  void restart();
  // Begins the next epoch after a rebalance.
  void restart_all();
  // Leaves earlier epochs out of mean_load().
  void forget_earlier_epochs() noexcept { load_since_ = steps_since_ = 0; }

  std::int64_t steps() const noexcept { return steps_; }
  // The load since the last rebalance, in nanoseconds per step; 0 before the first measurement.
  std::int64_t mean_load() const;
  // The load of the running epoch, in nanoseconds per step; 0 before its first measurement.
  std::int64_t epoch_load() const;

 private:
  // Long epochs are truncated in chunks of this many steps. The steps of the last chunks, up to
  // two, are kept one by one.
  static constexpr std::size_t chunk = 64;

  struct SummedKernel {
    KernelOptions options;
    // Steps with a run: in the epoch, and from the last rebalance to the epoch.
    std::int64_t ran = 0, ran_before = 0;
    // Nanoseconds of the chunks that are no longer kept: all, and truncated.
    std::int64_t closed_sum = 0, closed_truncated = 0;
    std::vector<std::int64_t> kept = {};  // nanoseconds of each kept step
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
  double working_share_ = 1;  // share of the time in which this rank did not wait for a core
  bool fit_ = true;
  // The load (nanoseconds) and the steps of the epochs that have ended since the last rebalance.
  std::int64_t load_since_ = 0, steps_since_ = 0;
};

}  // namespace evenkeel
