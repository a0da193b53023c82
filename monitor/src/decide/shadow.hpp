#pragma once

// Estimates the gain that balancing would have brought in a run in which nothing moves. It decides
// as a run with rebalances would decide, by the loads that ranks would have had under the cuts so
// far. If these loads are not known, it assumes that each advised rebalance would have removed all
// imbalance at that time; this is an upper bound of its gain.

#include "decide/state.hpp"

namespace evenkeel {

class EVENKEEL_API Shadow {
 public:
  // If the trigger ignores the load, or is a rule of the application, cost_aware decides.
  explicit Shadow(const DecisionState& first);

  // Takes in a look. Returns true if the look would have led to a rebalance by a fresh cut. The
  // result is the same on all ranks.
  bool look(const Totals& totals);
  // Adds the last steps of the run, without a decision. `totals` are those of a look, or of steps
  // that no epoch has measured (then `totals.steps` is 0).
  void close(const Totals& totals);

  // Nanoseconds that would have been saved, net of the costs of the rebalances.
  double gain() const noexcept { return state_.ledger.saved(); }
  std::int64_t rebalances() const noexcept { return state_.rebalances; }

 private:
  Totals balanced(const Totals& totals) const;
  Totals carried_on(const Totals& totals) const;

  DecisionState state_;
  double left_ = -1;  // the level under the last cut, as last known; negative if never known
  std::int64_t acted_at_ = -1;  // the last step after which it would have moved objects, or -1
  double taken_ = 0;  // if left_ is unknown: nanoseconds per step that the slowest rank would have
                      // saved
};

}  // namespace evenkeel
