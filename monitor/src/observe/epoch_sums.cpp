#include "observe/epoch_sums.hpp"

#include "observe/truncated_mean.hpp"

#include <functional>

namespace evenkeel {

namespace {

void add_to(EpochWork& work, const EpochWork& more, double factor = 1) {
  work.before += factor * more.before;
  work.now += factor * more.now;
}

// Leaves out the waiting, and rounds: whole nanoseconds can be added and subtracted exactly.
EpochWork settled(const EpochWork& work, double share) {
  return {std::round(work.working(share)), 0};
}

EpochWork work_of(std::int64_t nanoseconds, bool counts) {
  const auto work = static_cast<double>(nanoseconds);
  return counts ? EpochWork{0, work} : EpochWork{work, 0};
}

}  // namespace

// --- Work that is declared to recur --------------------------------------------------------------

void DeclaredWork::add(std::int64_t nanoseconds, int every, bool counts) {
  const std::int64_t step = steps_++;
  if (nanoseconds > 0) {
    const std::int64_t together = (std::int64_t{every} + 255) / 256;
    if (gone_ == runs_.size() || step - runs_.back().first >= together)
      runs_.push_back({step, step, {}});
    const EpochWork work = work_of(nanoseconds, counts);
    runs_.back().last = step;
    add_to(runs_.back().work, work);
    add_to(sum_, work);
  }
  const std::int64_t begin = steps_ - every;  // of the window
  for (; gone_ < runs_.size() && runs_[gone_].last < begin; ++gone_)
    add_to(sum_, runs_[gone_].work, -1);
  if (gone_ >= most_gone) drop();
  if (!counts) return;
  add_to(in_epoch_, sum_);
  if (gone_ < runs_.size() && runs_[gone_].first < begin) {
    const auto [first, last, work] = runs_[gone_];
    add_to(in_epoch_, work,
           -static_cast<double>(begin - first) / static_cast<double>(last + 1 - first));
  }
  if (begin < 0) unknown_ -= static_cast<double>(begin) / every;
}

void DeclaredWork::drop() {
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(gone_));
  gone_ = 0;
}

// The work of a step is the sum over the window / every. If the window begins before the first
// step, each missing step counts as the mean.
double DeclaredWork::total(int every, double share, double mean) const {
  return share * mean * unknown_ + in_epoch_.working(share) / every;
}

void DeclaredWork::restart(double share) {
  drop();
  sum_ = {};
  for (WorkRuns& runs : runs_) {
    runs.work = settled(runs.work, share);
    add_to(sum_, runs.work);
  }
  in_epoch_ = {};
  unknown_ = 0;
}

// --- Work that is found to recur -----------------------------------------------------------------

std::span<const FoundWork::WorkRun> FoundWork::last() const noexcept {
  // From the second run on, leaves out the first run, whose gap is not known completely.
  const std::int64_t count = runs_ < 2 ? runs_ : runs_ - 1;
  return std::span(last_).first(std::min(remembered, static_cast<std::size_t>(count)));
}

// There must be at least one run.
double FoundWork::mean_gap() const noexcept {
  double gaps = 0;
  for (const WorkRun& run : last()) gaps += run.gap;
  return gaps / static_cast<double>(last().size());
}

// Work per step; there must be at least one run. It fades when the next run is overdue.
EpochWork FoundWork::rate() const noexcept {
  const auto count = static_cast<double>(last().size());
  EpochWork rate;
  for (const WorkRun& run : last()) add_to(rate, run.work);
  const double steps = count * std::max(mean_gap(), static_cast<double>(since_));
  return {rate.before / steps, rate.now / steps};
}

// Ends a gap with a run. The gap before the first run is not known completely. It is assumed to be
// the number of steps so far or the period before the rebalance, whichever is greater.
void FoundWork::run(const EpochWork& work) {
  const auto since = static_cast<double>(since_);
  const double gap = runs_ == 0 ? std::max(since, period_) : since;
  add_to(spread_, work, static_cast<double>(open_) / gap);
  if (runs_ > 1) {  // guesses after the first run are not corrected: its gap is a guess too
    add_to(owed_, work, static_cast<double>(open_before_) / gap);
    owed_.before -= guessed_before_;
  }
  const std::int64_t slot = runs_ == 0 ? 0 : runs_ - 1;
  last_[static_cast<std::size_t>(slot) % remembered] = {gap, work};
  ++runs_;
  since_ = open_ = open_before_ = 0;
  guessed_before_ = 0;
  guessed_ = {};
}

// Spreads corrections over about four periods, and changes no step by more than half.
void FoundWork::pay() {
  constexpr double periods = 4, least_steps = 16;
  const double owed = std::abs(owed_.total());
  if (owed <= 0) return;
  const double part = 1 / std::max(least_steps, periods * mean_gap());
  const double most = rate().total() / 2;
  const double factor = std::min(part, most / owed);
  add_to(paid_, owed_, factor);
  add_to(owed_, owed_, -factor);
}

void FoundWork::add(std::int64_t nanoseconds, bool counts) {
  // Before the first run, an unmeasured step counts only if it has a run of work that is known to
  // recur.
  if (!counts && runs_ == 0) {
    if (nanoseconds > 0 && period_ > 0) run(work_of(nanoseconds, counts));
    return;
  }
  ++since_;
  if (counts) {
    ++open_;
    ++in_epoch_;
  }
  if (nanoseconds > 0) {
    run(work_of(nanoseconds, counts));
  } else if (counts && runs_ > 0) {
    add_to(guessed_, rate());
  }
  if (counts) pay();
}

// A single run without a known period is spread over all steps so far.
double FoundWork::total(double share) const {
  if (is_single()) {
    const double steps = mean_gap() + static_cast<double>(since_);
    return last_[0].work.working(share) * static_cast<double>(in_epoch_) / steps;
  }
  return spread_.working(share) + guessed_.working(share) + paid_.working(share);
}

void FoundWork::restart(double share) {
  guessed_before_ += guessed_.working(share);
  open_before_ += std::exchange(open_, 0);
  in_epoch_ = 0;
  guessed_ = spread_ = paid_ = {};
  owed_ = {owed_.working(share), 0};
  for (WorkRun& run : last_) run.work = settled(run.work, share);
}

void FoundWork::restart_all(bool is_regular) {
  double period = period_;
  const auto since = static_cast<double>(since_);
  if (is_regular) {
    if (static_cast<double>(runs_) > period) period = 0;
  } else if (is_single()) {
    period = mean_gap() + since;
  } else if (runs_ > 0) {
    period = runs_ == 1 ? std::max(mean_gap(), since) : mean_gap();
  }
  *this = {};
  period_ = period;
}

// --- All kernels ---------------------------------------------------------------------------------

bool EpochSums::recurs(const SummedKernel& kernel) const noexcept {
  return kernel.is_declared() || kernel.ran_before + kernel.ran < steps_since_ + steps_;
}

// The total of a kernel that recurs.
std::int64_t EpochSums::recurring_total(const SummedKernel& kernel) const {
  if (!kernel.is_declared()) return whole(kernel.found.total(working_share_));
  const bool rests = 2 * kernel.ran <= steps_;  // in most steps
  const std::int64_t truncated = kernel.closed_truncated + truncated_sum(kernel.kept);
  const double mean = rests ? 0 : static_cast<double>(truncated) / static_cast<double>(steps_);
  return whole(kernel.declared.total(kernel.options.every, working_share_, mean));
}

// If the rank waited for a core, the values that truncation leaves out are mostly such waiting. It
// must not be subtracted twice.
std::int64_t EpochSums::total(const SummedKernel& kernel) const {
  if (recurs(kernel)) return recurring_total(kernel);
  const std::int64_t sum = kernel.closed_sum + sum_of(kernel.kept);
  const std::int64_t kept = kernel.closed_truncated + truncated_sum(kernel.kept);
  const auto waited = std::llround(static_cast<double>(sum) * (1 - working_share_));
  const std::int64_t left_out = std::max<std::int64_t>(0, sum - kept);
  return std::max<std::int64_t>(0, kept - std::max<std::int64_t>(0, waited - left_out));
}

std::int64_t EpochSums::load() const {
  std::int64_t load = 0;
  for (const SummedKernel& kernel : kernels_) load += total(kernel);
  return load;
}

// The variance of the truncated load of `count` kept steps, in square nanoseconds. For work that
// recurs, runs are compared with each other, and steps without a run are left out.
double EpochSums::variance_of(std::size_t begin, std::size_t count) const {
  std::vector<std::int64_t> regular(count), runs;
  bool has_regular = false;
  double variance = 0;
  for (const SummedKernel& kernel : kernels_) {
    const auto steps = std::span(kernel.kept).subspan(begin, count);
    if (!recurs(kernel)) {
      std::transform(steps.begin(), steps.end(), regular.begin(), regular.begin(), std::plus<>());
      has_regular = true;
      continue;
    }
    runs.clear();
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(runs),
                 [](std::int64_t nanoseconds) { return nanoseconds > 0; });
    variance += truncated_sum_variance(runs);
  }
  return has_regular ? variance + truncated_sum_variance(regular) : variance;
}

Sample EpochSums::sample(std::int64_t unit) const {
  // The sum over 2^20 ranks fits 63 bits.
  constexpr double most_variance = 1ULL << 40U;
  Sample sample;
  std::int64_t in_kernels = 0;  // all the time in kernels, before anything is left out
  sample.steps = steps_;
  sample.fit = fit_ && steps_ > 0 && duration_ > 0;  // a stopped clock measures nothing
  sample.kernels.reserve(kernels_.size());
  for (const SummedKernel& kernel : kernels_) {
    const std::int64_t nanoseconds = total(kernel);
    in_kernels += kernel.closed_sum + sum_of(kernel.kept);
    const auto phase = static_cast<std::size_t>(kernel.options.phase);
    sample.kernels.push_back(nanoseconds);
    sample.phases.resize(std::max(sample.phases.size(), phase + 1));
    sample.phases[phase] += nanoseconds;
    sample.load += nanoseconds;
  }
  // The time that is left out of kernels is subtracted from the duration, and the work that is
  // spread into this epoch is added. Waiting outside of kernels is subtracted, too, so that waiting
  // does not change the coverage.
  const std::int64_t elsewhere = std::max<std::int64_t>(0, duration_ - in_kernels);
  const auto waited = std::llround(static_cast<double>(elsewhere) * (1 - working_share_));
  const std::int64_t left_out = in_kernels - sample.load + waited;
  sample.duration = std::max<std::int64_t>(0, duration_ - left_out);
  if (unit > 0) {
    const double share = working_share_ / static_cast<double>(unit);
    const double variance = (closed_variance_ + variance_of(0, kept_steps_)) * share * share;
    sample.variance = static_cast<std::int64_t>(std::min(most_variance, variance));
  }
  return sample;
}

// Closes the older half of the kept steps.
void EpochSums::close_chunk() {
  closed_variance_ += variance_of(0, chunk);
  for (SummedKernel& kernel : kernels_) {
    const auto end = kernel.kept.begin() + static_cast<std::ptrdiff_t>(chunk);
    const auto steps = std::span(kernel.kept).first(chunk);
    kernel.closed_sum += sum_of(steps);
    kernel.closed_truncated += truncated_sum(steps);
    kernel.kept.erase(kernel.kept.begin(), end);
  }
  kept_steps_ -= chunk;
}

void EpochSums::know(std::size_t kernels, std::span<const KernelOptions> options) {
  for (std::size_t k = kernels_.size(); k < kernels; ++k) {
    SummedKernel added;
    if (k < options.size()) added.options = options[k];
    added.kept.reserve(2 * chunk);
    added.kept.resize(kept_steps_);
    added.found = FoundWork(steps_, steps_since_);
    kernels_.push_back(std::move(added));
  }
}

void EpochSums::SummedKernel::recur(std::int64_t nanoseconds, bool counts) {
  if (is_declared())
    declared.add(nanoseconds, options.every, counts);
  else
    found.add(nanoseconds, counts);
}

void EpochSums::add(const Clock::Step& step, std::span<const std::int64_t> kernels,
                    std::span<const KernelOptions> options) {
  know(kernels.size(), options);
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    SummedKernel& kernel = kernels_[k];
    const std::int64_t nanoseconds = k < kernels.size() ? kernels[k] : 0;
    kernel.kept.push_back(nanoseconds);
    if (nanoseconds > 0) ++kernel.ran;
    kernel.recur(nanoseconds, true);
  }
  duration_ += step.duration;
  fit_ = fit_ && step.fit;
  ++steps_;
  if (++kept_steps_ == 2 * chunk) close_chunk();
}

void EpochSums::hint(std::span<const std::int64_t> kernels,
                     std::span<const KernelOptions> options) {
  know(kernels.size(), options);
  for (std::size_t k = 0; k < kernels_.size(); ++k)
    kernels_[k].recur(k < kernels.size() ? kernels[k] : 0, false);
}

void EpochSums::forget() noexcept {
  const std::int64_t steps = steps_;
  *this = {};
  steps_ = steps;
  fit_ = false;
}

void EpochSums::leave_out(std::int64_t waited) {
  if (waited <= 0 || duration_ <= 0) return;
  const double share = std::min(1.0, static_cast<double>(waited) / static_cast<double>(duration_));
  working_share_ *= 1 - share;
}

std::int64_t EpochSums::mean_load() const {
  const std::int64_t steps = steps_since_ + steps_;
  return steps > 0 ? (load_since_ + load()) / steps : 0;
}

std::int64_t EpochSums::epoch_load() const { return steps_ > 0 ? load() / steps_ : 0; }

void EpochSums::restart() {
  load_since_ += load();
  steps_since_ += steps_;
  for (SummedKernel& kernel : kernels_) {
    kernel.declared.restart(working_share_);
    kernel.found.restart(working_share_);
    kernel.kept.clear();
    kernel.ran_before += std::exchange(kernel.ran, 0);
    kernel.closed_sum = kernel.closed_truncated = 0;
  }
  steps_ = 0;
  kept_steps_ = 0;
  closed_variance_ = 0;
  duration_ = 0;
  working_share_ = 1;
  fit_ = true;
}

void EpochSums::restart_all() {
  for (SummedKernel& kernel : kernels_) {
    kernel.declared = {};
    kernel.found.restart_all(!recurs(kernel));
  }
  restart();
  for (SummedKernel& kernel : kernels_) kernel.ran_before = 0;
  load_since_ = steps_since_ = 0;
}

}  // namespace evenkeel
