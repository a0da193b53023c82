#pragma once

// Keeps advice until a step in which objects may move, with the cause and the step of its decision.

#include "decide/decision.hpp"

#include <evenkeel/monitor/advice.hpp>

namespace evenkeel {

class HeldAdvice {
 public:
  explicit operator bool() const noexcept { return held_.rebalance; }
  // The cause of the last advice, and the step whose look, or whose trigger, has led to it.
  Reason cause() const noexcept { return cause_; }
  std::int64_t decided_at() const noexcept { return decided_at_; }

  // Call this after each look. `acts` is true if the look has asked for a rebalance. `step` is the
  // last step that the look has measured.
  void note_look(bool acts, Reason reason, std::int64_t step) noexcept {
    by_look_ = acts || (held_ && by_look_);
    if (acts) note(reason, step);
  }
  // Call this if the trigger acts on a load that was predicted after this step.
  void note_predicted(std::int64_t step) noexcept {
    by_look_ = true;
    note(Reason::predicted, step);
  }
  // Call this if the trigger acts at this step.
  void note_due(std::int64_t step) noexcept { note(Reason::due, step); }

  void hold(Advice advice) noexcept { held_ = std::move(advice); }
  void drop() noexcept { held_ = {}; }

  // Returns the given advice or, if it is empty, earlier advice that could not be followed. If
  // nothing may move now, keeps this advice and returns empty advice. The beginning of a pause
  // drops earlier advice; advice that is given during a pause is followed.
  Advice released(Advice advice, bool may_move, bool is_paused) noexcept {
    if (is_paused && !was_paused_) drop();
    was_paused_ = is_paused;
    if (!advice) advice = std::move(held_);
    drop();
    if (advice && !may_move) {
      hold(std::move(advice));
      return {};
    }
    return advice;
  }

  // Notes a rebalance, and returns its kind.
  RebalanceKind take_kind(const Outcome& outcome) noexcept {
    drop();
    return !std::exchange(by_look_, false) ? RebalanceKind::application
           : outcome.earlier               ? RebalanceKind::earlier
           : outcome.shifted               ? RebalanceKind::shift
                                           : RebalanceKind::fresh;
  }

 private:
  void note(Reason cause, std::int64_t step) noexcept {
    cause_ = cause;
    decided_at_ = step;
  }

  Advice held_;
  Reason cause_ = Reason::due;
  std::int64_t decided_at_ = 0;
  bool by_look_ = false;     // true if a look has asked for the coming rebalance
  bool was_paused_ = false;  // the value at the last call of released()
};

}  // namespace evenkeel
