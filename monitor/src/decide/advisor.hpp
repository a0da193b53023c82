#pragma once

// Advises rebalances, after looks or at the steps at which the trigger acts. Keeps the state of the
// run. As long as nothing has moved, it also keeps the gain that the run would have had by
// following the advice.

#include "decide/held_advice.hpp"
#include "decide/looks.hpp"
#include "decide/shadow.hpp"

namespace evenkeel {

class Advisor {
 public:
  Advisor(const DecisionState& first, Executor executor)
      : looks_(first, std::move(executor)), shadow_(first) {}

  Looks& looks() noexcept { return looks_; }
  const Looks& looks() const noexcept { return looks_; }
  const DecisionState& state() const noexcept { return looks_.state(); }
  const HeldAdvice& held() const noexcept { return held_; }

  // Call these before the first step. start_from() replaces the state. go_on_from() continues to
  // count from the step at which an earlier run has ended.
  void start_from(const DecisionState& state);
  void go_on_from(std::int64_t step);
  // The state from which go_on_from() continues.
  static DecisionState continued(DecisionState state, std::int64_t step);
  // Declares that domains from this generation on are kept, so that the run can return to them.
  void keep_from(std::int64_t generation);
  // The run begins with domains of this generation.
  void begin_with(std::int64_t generation);

  // Takes in a look on which all ranks have agreed. Call it before advise(look).
  void note(const Look& look);
  Advice advise(const Look& look);
  // Advises on loads that were predicted because objects have changed. The state does not change.
  // The result replaces earlier advice, unless it is `measured`, the advice of a look in this step.
  // `is_told` is true if the application has said that objects have changed.
  Advice advise_by(const Totals& predicted, bool is_told, Advice measured);
  bool is_due(std::int64_t step) const;
  Advice advise_due(std::int64_t step);
  void hold(Advice advice) noexcept { held_.hold(std::move(advice)); }
  Advice released(Advice advice, bool may_move) noexcept {
    return held_.released(std::move(advice), may_move, state().paused != 0);
  }
  // True if advice would have led to a fresh cut since the last call.
  bool take_advised() noexcept { return std::exchange(is_advised_, false); }

  // Notes a rebalance at the end of `step`, and returns its kind.
  RebalanceKind rebalanced(std::int64_t step, const Outcome& outcome);

  // Ranks have other speeds after this step. If objects have weights, which show the new loads
  // without a measurement, a rebalance is due.
  void take_new_speeds(std::int64_t step) noexcept;

  // The steps from one look to the next.
  std::int64_t epoch_steps() const noexcept { return epoch_length(state()); }
  // True if rebalances at fixed steps keep ending epochs early.
  bool cuts_epochs_short() const noexcept {
    return acts_by_steps(state().trigger) && state().rebalanced_at > state().began_at;
  }

  // Adds totals to the ledger without a decision.
  void close(const Totals& totals);
  Account account() const;
  // Null after the run has moved something.
  const Shadow* shadow() const noexcept { return shadow_ ? &*shadow_ : nullptr; }

 private:
  Looks looks_;
  HeldAdvice held_;
  std::optional<Shadow> shadow_;
  bool is_advised_ = false;
  std::int64_t new_speeds_at_ = -1;  // the step after which a rebalance is due to new speeds
};

}  // namespace evenkeel
