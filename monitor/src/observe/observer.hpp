#pragma once

// All that this rank measures step by step, and reports at the end of an epoch. In a deterministic
// run, weights replace the clock.

#include "observe/all_steps.hpp"
#include "observe/epoch_sums.hpp"
#include "observe/kernel_names.hpp"
#include "observe/rebalance_cost.hpp"

namespace evenkeel {

class Observer {
 public:
  Observer(ClockKind kind, Clock::Now own, bool ranks_share_cores, bool is_deterministic)
      : clock_(kind, own, ranks_share_cores), is_deterministic_(is_deterministic) {}

  Clock& kernels() const noexcept { return clock_.kernels(); }
  std::int64_t now() noexcept { return clock_.now(); }
  void set_weight(double weight) noexcept { weight_ = weight; }

  // `counts` says that the step belongs to an epoch, and `is_next_first` that the next step is the
  // first one of an epoch.
  void end_step(bool counts, bool is_next_first);

  // The sample at the end of an epoch, without step, generation and objects. It is unfit if memory
  // for it is missing. `last_mean`: see totals_of.
  Sample sample(std::int64_t last_mean);
  // The same for steps that no epoch covers: their load and the costs of rebalances.
  Sample rest();
  // The load of all steps under other domains, in the slots of Sample. This rank's load is assumed
  // to vary from step to step as the measured one does. `per_step` is in nanoseconds.
  StepSlots under_others(double per_step) const { return all_steps_.spread(per_step); }
  // The next epoch begins, after a sample.
  void restart();
  // The next epoch begins; no sample is needed any more.
  void abandon() { sums_.restart(); }

  // --- Rebalances --------------------------------------------------------------------------------

  void drop_cost() noexcept { cost_.drop(); }
  void end_settling() noexcept { cost_.end_settling(); }
  void add_cost(double seconds, std::int64_t bytes) noexcept { cost_.add(seconds, bytes); }
  // Objects have moved. `settles` says that the application rebuilds derived data in the next step.
  void restart_after_move(bool settles);

  // --- The names of kernels ----------------------------------------------------------------------

  KernelNames& names() noexcept { return names_; }
  // The names at the last look: keep_names() keeps them.
  void keep_names();
  const std::vector<std::string>& kept_names() const noexcept { return last_names_.sorted(); }

  // --- Loads in nanoseconds per step -------------------------------------------------------------

  // The mean since the last rebalance; 0 before the first measurement.
  std::int64_t mean_load() const { return sums_.mean_load(); }
  // The loads of the first and the last epoch since the last rebalance; 0 until an epoch has ended.
  std::int64_t first_load() const noexcept { return first_load_; }
  std::int64_t last_load() const noexcept { return last_load_; }
  // The loads of kernels in the clock's order, in the last epoch that has ended.
  std::span<const double> last_kernels() const noexcept { return last_kernels_; }

 private:
  Sample measured(std::int64_t last_mean);
  void tell_costs(Sample& sample) noexcept;
  void tell_all_steps(Sample& sample) const noexcept;
  void leave_out_waiting();
  double weighed_load() const noexcept;

  WorkClock clock_;
  bool is_deterministic_;
  double weight_ = 0;
  EpochSums sums_;
  AllSteps all_steps_;
  RebalanceCost cost_;
  KernelNames names_, last_names_;
  std::int64_t first_load_ = 0, last_load_ = 0;
  std::vector<double> last_kernels_;
};

}  // namespace evenkeel
