#include "observe/observer.hpp"

#include <evenkeel/backends/comm/vote.hpp>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor";

// A weight of 1 counts as a millisecond.
constexpr double nanoseconds_per_weight = 1e6;

}  // namespace

double Observer::weighed_load() const noexcept { return weight_ * nanoseconds_per_weight; }

void Observer::end_step(bool counts, bool is_next_first, bool may_move) {
  const Clock::Step step = kernels().end_step();
  const Status added = attempt(stage_name, [&] {
    if (counts)
      sums_.add(step, kernels().of_step(), kernels().options());
    else
      sums_.hint(kernels().of_step(), kernels().options());
  });
  if (!added.ok()) sums_.forget();
  all_steps_.add(is_deterministic_ ? whole(weighed_load()) : step.load, step.duration);
  if (is_next_first) clock_.begin_epoch();
  cost_.end_step(step, may_move, clock_);
}

Sample Observer::measured(std::int64_t last_mean) {
  names_.learn(kernels().names());
  Sample sample = sums_.sample(totals_of({}, last_mean).unit);
  last_kernels_.assign(sample.kernels.begin(), sample.kernels.end());
  for (double& kernel : last_kernels_) kernel /= std::max(1.0, static_cast<double>(sample.steps));
  sample.kernels = names_.in_order(sample.kernels);
  if (!is_deterministic_) return sample;
  sample.load = sample.duration = whole(weighed_load() * static_cast<double>(sample.steps));
  sample.variance = 0;
  sample.fit = sample.steps > 0 && weight_ >= 0;
  std::fill(sample.kernels.begin(), sample.kernels.end(), 0);
  sample.phases.clear();
  return sample;
}

Sample Observer::sample(std::int64_t last_mean) {
  leave_out_waiting();
  Sample sample;
  const Status taken = attempt(stage_name, [&] { sample = measured(last_mean); });
  if (!taken.ok()) sample = {.steps = sums_.steps(), .fit = false};
  sample.names = names_.hash();
  tell_costs(sample, false);
  tell_all_steps(sample);
  return sample;
}

void Observer::add_pace(Sample& sample, int rank, int slow, bool mostly_waits) noexcept {
  if (!pace_) return;
  const std::int64_t began = now();
  pace_.measure(1 - sums_.working_share());
  sample.pace = pace_.tally(rank, slow, std::max<std::int64_t>(1, now() - began));
  if (mostly_waits) sample.pace = {.took = sample.pace.took};
}

Sample Observer::rest() {
  leave_out_waiting();
  Sample sample;
  tell_costs(sample, true);
  tell_all_steps(sample);
  return sample;
}

void Observer::restart() {
  all_steps_.restart();
  last_load_ = sums_.epoch_load();
  if (first_load_ == 0) first_load_ = last_load_;
  sums_.restart();
}

void Observer::restart_after_move(bool settles) {
  all_steps_.note_move();
  sums_.restart_all();
  kernels().forget_stretches();
  first_load_ = last_load_ = 0;
  if (settles) cost_.begin_settling(clock_);
}

void Observer::forget_earlier_epochs() noexcept {
  sums_.forget_earlier_epochs();
  first_load_ = last_load_;
}

void Observer::keep_names() {
  if (last_names_.hash() == names_.hash()) return;
  KernelNames names = names_;
  last_names_ = std::move(names);
}

void Observer::tell_costs(Sample& sample, bool is_last) noexcept {
  cost_.tell(sample, is_last);
  if (!is_deterministic_) return;
  sample.cost = sample.bytes = sample.rebuild = sample.noted = sample.extra = 0;
  sample.rebalances = sample.first_cost = sample.first_bytes = 0;
}

void Observer::tell_all_steps(Sample& sample) const noexcept {
  sample.all_steps = all_steps_.steps();
  sample.all_load = all_steps_.sum();
  sample.slots = all_steps_.sums();
}

void Observer::leave_out_waiting() {
  if (is_deterministic_) return;
  const WorkClock::Waited waited = clock_.take_waited();
  sums_.leave_out(waited.in_epoch);
  all_steps_.leave_out(waited.in_all_steps);
}

}  // namespace evenkeel
