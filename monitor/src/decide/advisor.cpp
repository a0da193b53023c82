#include "decide/advisor.hpp"

#include "decide/interval.hpp"

namespace evenkeel {

namespace {

// The lambda that a fresh cut must undercut to pay, or 0 if the decision does not say this.
double even_enough(const Verdict& verdict) noexcept {
  const LookInterval& interval = verdict.state.interval;
  const double mean = interval.peak.front() - interval.waste.front();
  if (verdict.decision.reason != Reason::curable || mean <= 0) return 0;
  return 1 + std::max(0.0, verdict.state.outlook.fresh) + verdict.decision.against / mean;
}

}  // namespace

void Advisor::start_from(const DecisionState& state) {
  looks_.set_state(state);
  if (shadow_) shadow_.emplace(state);
}

DecisionState Advisor::continued(DecisionState state, std::int64_t step) {
  if (state.rebalanced_at >= 0) state.rebalanced_at += step - state.began_at;
  state.began_at = state.step = step;
  return state;
}

void Advisor::go_on_from(std::int64_t step) { start_from(continued(looks_.state(), step)); }

void Advisor::keep_from(std::int64_t generation) {
  DecisionState state = looks_.state();
  state.kept_from = generation;
  looks_.set_state(state);
  // If the trigger judges loads or acts by steps, no estimate of the gain of advice is needed.
  if (judges_the_load(state.trigger) || acts_by_steps(state.trigger)) shadow_.reset();
}

void Advisor::begin_with(std::int64_t generation) {
  DecisionState state = looks_.state();
  state.generation = generation;
  start_from(state);
}

void Advisor::note(const Look& look) {
  if (shadow_ && shadow_->look(look.totals)) is_advised_ = true;
}

Advice Advisor::advise(const Look& look) {
  const auto& [after, decision] = look.verdict;
  const bool acts =
      decision.action == Action::rebalance && look.totals.generation_least == state().generation;
  held_.note_look(acts, decision.reason, look.totals.step_greatest);
  if (!acts) return {};
  Advice advice{true, {}, after.outlook.wanted_generation};
  if (after.refinement.wanted != 0) advice.shift_penalty = after.refinement.penalty;
  advice.shifts_by_last_epoch = after.refinement.wanted == ShiftCourse::of_last;
  advice.even_enough = even_enough(look.verdict);
  advice.frees_memory = decision.reason == Reason::memory;
  static_cast<void>(attempt("monitor", [&] {  // if memory runs out, only the reason is lost
    advice.reason = explain(look.before, look.totals, look.verdict.decision);
  }));
  return advice;
}

// A forecast leads to new cuts only: shifts and returns to earlier domains need measured loads. If
// the load jumps with each change, a cut loses its use before it has paid. So as long as rebalances
// have lost more than half of the cost of one, measured loads decide.
Advice Advisor::advise_by(const Totals& predicted, bool is_told, Advice measured) {
  DecisionState now = state();
  now.latency_steps = 0;
  if (is_told) now.cooldown_steps = 0;
  constexpr double most_lost = 0.5;
  if (debt_of(now) > most_lost) return measured;
  const Verdict verdict = fold(now, predicted);
  const bool acts = verdict.decision.action == Action::rebalance;
  if (acts &&
      (verdict.state.outlook.wanted_generation >= 0 || verdict.state.refinement.wanted != 0))
    return measured;
  held_.drop();
  if (!acts) return {};
  held_.note_predicted(predicted.step_greatest);
  Advice advice{.rebalance = true, .even_enough = even_enough(verdict)};
  static_cast<void>(attempt("monitor", [&] {
    advice.reason = "objects have changed; " + explain(now, predicted, verdict.decision);
  }));
  return advice;
}

bool Advisor::is_due(std::int64_t step) const {
  return state().paused == 0 && (step == new_speeds_at_ || evenkeel::is_due(state().trigger, step));
}

Advice Advisor::advise_due(std::int64_t step) {
  held_.note_due(step);
  Advice advice{true};
  static_cast<void>(attempt("monitor", [&] {
    advice.reason =
        step == new_speeds_at_ ? "the speeds of ranks have changed" : to_text(state().trigger);
  }));
  return advice;
}

void Advisor::take_new_speeds(std::int64_t step) noexcept {
  if (state().outlook.shortfall.weighed > 0) new_speeds_at_ = step;
  looks_.set_state(with_new_speeds(state()));
}

RebalanceKind Advisor::rebalanced(std::int64_t step, const Outcome& outcome) {
  if (step > state().began_at) shadow_.reset();  // this run is balanced from now on
  const RebalanceKind kind = held_.take_kind(outcome);
  looks_.set_state(
      evenkeel::rebalanced(state(), step, state().generation + (outcome.moved ? 1 : 0), kind));
  return kind;
}

void Advisor::close(const Totals& totals) {
  if (shadow_) shadow_->close(totals);
  looks_.set_state(accounted(state(), totals));
}

Account Advisor::account() const {
  Account account = account_of(state().ledger);
  if (shadow_) account.advised = std::max(0.0, shadow_->gain()) * 1e-9;
  return account;
}

}  // namespace evenkeel
