#include "epoch_sums.hpp"

#include <evenkeel/monitor/truncated_mean.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

namespace evenkeel {

namespace {

std::int64_t sum_of(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace

bool EpochSums::recurs(const Kernel& kernel) const noexcept {
  return kernel.options.every > 1 || kernel.ran < steps_;
}

// What truncation has left out of a kernel is mostly waiting, where there was any, and is not left
// out twice.
std::int64_t EpochSums::total(const Kernel& kernel) const {
  const std::int64_t sum = kernel.closed_sum + sum_of(kernel.kept);
  const std::int64_t kept =
      recurs(kernel) ? sum : kernel.closed_truncated + truncated_sum(kernel.kept);
  const auto waited = std::llround(static_cast<double>(sum) * (1 - working_share_));
  const std::int64_t left_out = std::max<std::int64_t>(0, sum - kept);
  return std::max<std::int64_t>(0, kept - std::max<std::int64_t>(0, waited - left_out));
}

std::int64_t EpochSums::load() const {
  std::int64_t load = 0;
  for (const Kernel& kernel : kernels_) load += total(kernel);
  return load;
}

// Of the load that truncation makes of some kept steps, in square nanoseconds. Work that recurs
// scatters as one time that it runs differs from another, not as steps with it from those without.
double EpochSums::variance_of(std::size_t begin, std::size_t count) const {
  std::vector<std::int64_t> regular(count), runs;
  bool has_regular = false;
  double variance = 0;
  for (const Kernel& kernel : kernels_) {
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
  std::int64_t in_kernels = 0;  // nothing left out
  sample.steps = steps_;
  sample.fit = fit_ && steps_ > 0 && duration_ > 0;  // a clock that stands still measures nothing
  sample.kernels.reserve(kernels_.size());
  for (const Kernel& kernel : kernels_) {
    const std::int64_t nanoseconds = total(kernel);
    in_kernels += kernel.closed_sum + sum_of(kernel.kept);
    const auto phase = static_cast<std::size_t>(kernel.options.phase);
    sample.kernels.push_back(nanoseconds);
    sample.phases.resize(std::max(sample.phases.size(), phase + 1));
    sample.phases[phase] += nanoseconds;
    sample.load += nanoseconds;
  }
  // What is left out of kernels has not passed, so that the share that they cover stays the same.
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

// The older half of what is kept.
void EpochSums::close_chunk() {
  closed_variance_ += variance_of(0, chunk);
  for (Kernel& kernel : kernels_) {
    const auto end = kernel.kept.begin() + static_cast<std::ptrdiff_t>(chunk);
    const auto steps = std::span(kernel.kept).first(chunk);
    kernel.closed_sum += sum_of(steps);
    kernel.closed_truncated += truncated_sum(steps);
    kernel.kept.erase(kernel.kept.begin(), end);
  }
  kept_steps_ -= chunk;
}

void EpochSums::add(const Clock::Step& step, std::span<const std::int64_t> kernels,
                    std::span<const KernelOptions> options) {
  for (std::size_t k = kernels_.size(); k < kernels.size(); ++k) {
    Kernel& added = kernels_.emplace_back();
    if (k < options.size()) added.options = options[k];
    added.kept.reserve(2 * chunk);
    added.kept.resize(kept_steps_);
  }
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const std::int64_t nanoseconds = k < kernels.size() ? kernels[k] : 0;
    kernels_[k].kept.push_back(nanoseconds);
    if (nanoseconds > 0) ++kernels_[k].ran;
  }
  duration_ += step.duration;
  fit_ = fit_ && step.fit;
  ++steps_;
  if (++kept_steps_ == 2 * chunk) close_chunk();
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

void EpochSums::restart() {
  load_since_ += load();
  steps_since_ += steps_;
  for (Kernel& kernel : kernels_) {
    kernel.kept.clear();
    kernel.ran = kernel.closed_sum = kernel.closed_truncated = 0;
  }
  steps_ = 0;
  kept_steps_ = 0;
  closed_variance_ = 0;
  duration_ = 0;
  working_share_ = 1;
  fit_ = true;
}

void EpochSums::restart_all() {
  restart();
  load_since_ = steps_since_ = 0;
}

}  // namespace evenkeel
