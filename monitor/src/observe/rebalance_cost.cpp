#include "observe/rebalance_cost.hpp"

#include "observe/thread_track.hpp"

namespace evenkeel {

void RebalanceCost::add(double seconds, std::int64_t bytes) noexcept {
  cost_ = whole(static_cast<double>(cost_) + std::max(0.0, seconds) * 1e9);
  bytes_ = whole(static_cast<double>(bytes_) + std::max(0.0, static_cast<double>(bytes)));
}

void RebalanceCost::end_step(std::int64_t load, const WorkClock& clock) noexcept {
  settling_.kernels_since += load;
  ++settling_.steps;
  if (settling_.rebalanced_at) {
    const std::int64_t now = clock.reading(), took = passed(*settling_.rebalanced_at, now);
    settling_ = {std::nullopt, true, load, took - load, now, 0, 0, now};
  } else if (settling_.is_over) {
    settling_.last_ended_at = clock.reading();
  }
}

void RebalanceCost::end_settling() noexcept {
  if (settling_.rebalanced_at || !settling_.is_over || settling_.steps <= 0) return;
  const SettlingStep settled = std::exchange(settling_, {});
  const std::int64_t beside =
      passed(settled.ended_at, settled.last_ended_at) - settled.kernels_since;
  rebuild_ += std::max<std::int64_t>(0, settled.beside - beside / settled.steps);
  extra_ += settled.in_kernels - settled.kernels_since / settled.steps;
}

void RebalanceCost::tell(Sample& sample) noexcept {
  end_settling();
  sample.cost = std::exchange(cost_, 0);
  sample.bytes = std::exchange(bytes_, 0);
  sample.rebuild = std::exchange(rebuild_, 0);
  sample.extra = std::exchange(extra_, 0);
}

}  // namespace evenkeel
