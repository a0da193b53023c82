#include "epoch_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

// The variance of the sum of loads, as they scatter from step to step, in units squared. Bounded:
// the sum over 2^20 ranks fits 63 bits.
std::int64_t variance_of_sum(const std::vector<std::int64_t>& loads, std::int64_t unit) {
  const auto count = static_cast<double>(loads.size());
  if (loads.size() < 2 || unit <= 0) return 0;
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / count;
  double squares = 0;
  for (const std::int64_t load : loads) {
    const double deviation = (static_cast<double>(load) - mean) / static_cast<double>(unit);
    squares += deviation * deviation;
  }
  constexpr double most = 1ULL << 40U;
  return static_cast<std::int64_t>(std::min(most, squares * count / (count - 1)));
}

}  // namespace

Sample EpochSums::sample(std::int64_t unit) const {
  Sample sample;
  sample.steps = steps();
  sample.load = std::accumulate(loads_.begin(), loads_.end(), std::int64_t{0});
  sample.duration = duration_;
  sample.variance = variance_of_sum(loads_, unit);
  sample.fit = fit_ && sample.steps > 0;
  sample.kernels = kernels_;
  return sample;
}

void EpochSums::add(const Clock::Step& step, std::span<const std::int64_t> kernels) {
  loads_.push_back(step.load);
  kernels_.resize(std::max(kernels_.size(), kernels.size()));
  for (std::size_t k = 0; k < kernels.size(); ++k) kernels_[k] += kernels[k];
  duration_ += step.duration;
  fit_ = fit_ && step.fit;
  load_since_ += step.load;
  ++steps_since_;
}

void EpochSums::leave_out(std::int64_t waited) {
  if (waited <= 0 || duration_ <= 0) return;
  const double share = std::min(1.0, static_cast<double>(waited) / static_cast<double>(duration_));
  const auto reduce = [&](std::int64_t& nanoseconds) {
    nanoseconds -= std::llround(static_cast<double>(nanoseconds) * share);
  };
  for (std::int64_t& load : loads_) {
    load_since_ -= load;
    reduce(load);
    load_since_ += load;
  }
  for (std::int64_t& kernel : kernels_) reduce(kernel);
  reduce(duration_);
}

void EpochSums::restart() {
  loads_.clear();
  std::fill(kernels_.begin(), kernels_.end(), 0);
  duration_ = 0;
  fit_ = true;
}

void EpochSums::restart_all() {
  restart();
  load_since_ = steps_since_ = 0;
}

}  // namespace evenkeel
