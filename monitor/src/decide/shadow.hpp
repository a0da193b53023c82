#pragma once

// What balancing would have gained in a run in which nothing is moved. It makes the same decisions,
// on the loads that ranks would have under the cuts that these decisions lead to. If those loads
// are not known, each rebalance that was not made is taken to cure all the imbalance of its moment:
// the most that it could gain.

#include "agree/epoch.hpp"
#include "decide/state.hpp"

#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel {

class EVENKEEL_API Shadow {
 public:
  // Where the trigger does not look at the load, or is the application's own, cost_aware decides.
  explicit Shadow(const State& first);

  // True: a rebalance would come now, by a fresh cut. The same totals give the same answer
  // on all ranks.
  bool look(const Totals& totals);
  // Enters the end of the run, which decides nothing any more: a look, or steps of which only the
  // load is known.
  void close(const Totals& totals);

  // Nanoseconds saved, net of what the rebalances would have cost.
  double gain() const noexcept { return state_.ledger.saved(); }
  std::int64_t rebalances() const noexcept { return state_.rebalances; }

 private:
  Totals balanced(const Totals& totals) const;
  Totals carried_on(const Totals& totals) const;

  State state_;
  double left_ = -1;            // u under the last cut, as last known; below 0: never known
  std::int64_t acted_at_ = -1;  // the step after which it last would have moved; -1: none yet
  double taken_ = 0;  // without left_: nanoseconds per step that the slowest rank would work less
};

}  // namespace evenkeel
