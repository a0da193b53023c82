#pragma once

// What balancing would have brought to a run in which nothing is moved: the same decisions, on the
// loads that ranks would have under the cuts that those lead to. Where nobody can tell those loads,
// each rebalance that was not made is taken to cure the imbalance of its moment: the most that it
// could bring.

#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/state.hpp>

#include <cstdint>

namespace evenkeel {

class Shadow {
 public:
  // Where the trigger does not look at the load, or is the application's own, cost_aware decides.
  explicit Shadow(const State& first);

  // True: a rebalance would come now, by a fresh cut. The same totals lead to the same on all
  // ranks.
  bool look(const Totals& totals);
  // Of the end of the run, by which nothing is decided any more: a look, or steps of which no
  // more is known than their load.
  void close(const Totals& totals);

  // Nanoseconds saved, what the rebalances would have cost taken off.
  double gain() const noexcept { return state_.ledger.saved(); }
  std::int64_t rebalances() const noexcept { return state_.rebalances; }

 private:
  Totals balanced(const Totals& totals) const;
  Totals carried_on(const Totals& totals) const;

  State state_;
  double left_ = -1;            // u under the last cut, as last known; below 0: it never was
  std::int64_t acted_at_ = -1;  // the step after which; -1: not yet
  double taken_ = 0;  // otherwise: nanoseconds per step that the slowest rank would work less
};

}  // namespace evenkeel
