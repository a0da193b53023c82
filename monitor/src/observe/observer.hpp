#pragma once

// The measurements of this rank. They are made step by step, and reported at the end of an epoch.
// In a deterministic run, weights replace the clock.

#include "observe/all_steps.hpp"
#include "observe/epoch_sums.hpp"
#include "observe/kernel_names.hpp"
#include "observe/pace.hpp"
#include "observe/rebalance_cost.hpp"

namespace evenkeel {

class Observer {
 public:
  Observer(ClockKind kind, const OwnClock& own, bool ranks_share_cores, bool is_deterministic,
           const OwnClock& probe)
      : clock_(kind, own, ranks_share_cores), is_deterministic_(is_deterministic), pace_(probe) {}

  Clock& kernels() const noexcept { return clock_.kernels(); }
  std::int64_t now() noexcept { return clock_.now(); }
  bool has_cpu_time() const noexcept { return clock_.is_cpu_time(); }
  void set_weight(double weight) noexcept { weight_ = weight; }

  // `counts` is true if the step belongs to an epoch. `is_next_first` is true if the next step is
  // the first one of an epoch. `may_move` is true if objects may move after this step.
  void end_step(bool counts, bool is_next_first, bool may_move);

  // The sample at the end of an epoch; the caller adds step, generation and objects. If memory runs
  // out, the sample is unfit. totals_of() explains `last_mean`.
  Sample sample(std::int64_t last_mean);
  // Measures the pace of this rank, and adds it to the sample of the epoch. Call this before
  // restart(). `slow` is the rank that is known to be slow, or -1. A rank that `mostly_waits` says
  // nothing: its core may run slowly to save power.
  void add_pace(Sample& sample, int rank, int slow, bool mostly_waits) noexcept;
  // A sample for steps that no epoch covers: only their load and the costs of rebalances.
  Sample rest();
  // The load of all steps under other domains, in the slots of Sample, if this rank had a load of
  // `per_step` nanoseconds on average. See AllSteps::spread.
  StepSlots under_others(double per_step) const { return all_steps_.spread(per_step); }
  // Begins the next epoch after sample().
  void restart();
  // Begins the next epoch without a sample of this one.
  void abandon() { sums_.restart(); }

  // --- Rebalances --------------------------------------------------------------------------------

  void end_settling() noexcept { cost_.end_settling(); }
  void add_cost(double seconds, std::int64_t bytes) noexcept { cost_.add(seconds, bytes); }
  void add_first_cost(double seconds, std::int64_t bytes, bool is_whole) noexcept {
    cost_.add_first(seconds, bytes, is_whole);
  }
  bool note_cost(double seconds) noexcept { return cost_.note(seconds); }
  // Call this after objects have moved. `settles` is true if the application rebuilds derived data
  // in the next step.
  void restart_after_move(bool settles);
  // The loads since the last rebalance count only from the last epoch on: before it, this rank may
  // have had another speed.
  void forget_earlier_epochs() noexcept;

  // --- The names of kernels ----------------------------------------------------------------------

  KernelNames& names() noexcept { return names_; }
  // keep_names() copies the present names at a look; kept_names() returns that copy.
  void keep_names();
  const std::vector<std::string>& kept_names() const noexcept { return last_names_.sorted(); }

  // --- Loads in nanoseconds per step -------------------------------------------------------------

  // The mean load since the last rebalance; 0 before the first measurement.
  std::int64_t mean_load() const { return sums_.mean_load(); }
  // The loads of the first and the last epoch since the last rebalance; 0 until an epoch has ended.
  std::int64_t first_load() const noexcept { return first_load_; }
  std::int64_t last_load() const noexcept { return last_load_; }
  // The load of each kernel in the last epoch that has ended, in the clock's order.
  std::span<const double> last_kernels() const noexcept { return last_kernels_; }

 private:
  Sample measured(std::int64_t last_mean);
  void tell_costs(Sample& sample, bool is_last) noexcept;
  void tell_all_steps(Sample& sample) const noexcept;
  void leave_out_waiting();
  double weighed_load() const noexcept;

  WorkClock clock_;
  bool is_deterministic_;
  Pace pace_;
  double weight_ = 0;
  EpochSums sums_;
  AllSteps all_steps_;
  RebalanceCost cost_;
  KernelNames names_, last_names_;
  std::int64_t first_load_ = 0, last_load_ = 0;
  std::vector<double> last_kernels_;
};

}  // namespace evenkeel
