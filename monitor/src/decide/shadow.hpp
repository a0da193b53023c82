#pragma once

// Estimates the gain that balancing would have brought in a run in which nothing moves. It makes
// the same decisions, on the loads that ranks would have under the cuts that these decisions lead
// to. If those loads are not known, each rebalance that was not made is assumed to cure all the
// imbalance of its moment, which is the upper bound of its gain.

#include "decide/state.hpp"

namespace evenkeel {

class EVENKEEL_API Shadow {
 public:
  // If the trigger ignores the load, or is a rule of the application, cost_aware decides.
  explicit Shadow(const DecisionState& first);

  // True if a rebalance, by a fresh cut, would come now. The same totals give the same answer on
  // all ranks.
  bool look(const Totals& totals);
  // Enters the end of the run, without a decision: a look, or steps of which only the load is
  // known.
  void close(const Totals& totals);

  // Nanoseconds saved, net of what the rebalances would have cost.
  double gain() const noexcept { return state_.ledger.saved(); }
  std::int64_t rebalances() const noexcept { return state_.rebalances; }

 private:
  Totals balanced(const Totals& totals) const;
  Totals carried_on(const Totals& totals) const;

  DecisionState state_;
  double left_ = -1;            // u under the last cut, as last known; negative if never known
  std::int64_t acted_at_ = -1;  // the step after which it would last have moved, or -1
  double taken_ = 0;  // if left_ is unknown: nanoseconds per step saved on the slowest rank
};

}  // namespace evenkeel
