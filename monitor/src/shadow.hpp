#pragma once

// What balancing would have brought to a run in which nothing is moved: the same decisions, on
// loads from which each rebalance that was not made would have taken the imbalance of its moment.
// How much a real one leaves is not known, so this is the most that it could bring.

#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/state.hpp>

#include <cstdint>

namespace evenkeel {

class Shadow {
 public:
  // Where the trigger does not look at the load, or is the application's own, cost_aware decides.
  explicit Shadow(const State& first) : state_(first) {
    state_.kept_from = -1;  // there is nothing to go back to
    if (std::holds_alternative<Never>(state_.trigger) ||
        std::holds_alternative<Every>(state_.trigger) ||
        std::holds_alternative<Custom>(state_.trigger))
      state_.trigger = CostAware{};
  }

  void look(const Totals& totals);

  // Nanoseconds saved, what the rebalances would have cost taken off.
  double gain() const noexcept { return saved_ - spent_; }
  std::int64_t rebalances() const noexcept { return state_.rebalances; }

 private:
  State state_;
  double taken_ = 0;  // nanoseconds per step that the slowest rank would work less
  double saved_ = 0, spent_ = 0;
};

}  // namespace evenkeel
