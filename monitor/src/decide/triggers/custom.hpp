#pragma once

// A rule that the application gives in code. Its text does not contain the function.

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

namespace evenkeel {

// The view of the load that the rule gets.
inline LoadView view_of(const RuleInput& on) {
  constexpr double seconds = 1e-9;
  const DecisionState& state = on.after;
  const LookInterval& last = on.before.interval;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, on.totals.steps));
  LoadView view;
  view.step = state.step;
  view.steps = on.totals.steps;
  view.ranks = on.totals.ranks;
  view.looks = on.before.looks;
  view.rebalances = state.rebalances;
  view.steps_since = state.step - std::max(state.began_at, state.rebalanced_at);
  view.slowest = static_cast<double>(on.totals.critical_load()) / steps * seconds;
  view.average = on.totals.mean_load() / steps * seconds;
  view.average_before = (last.peak.front() - last.waste.front()) * seconds;
  view.wasted = state.interval.wasted * seconds;
  view.cost = cost_of(state) * seconds;
  view.lambda = on.totals.lambda();
  view.imbalance_percent = on.totals.imbalance_percent();
  return view;
}

struct CustomRule : RuleOf<CustomRule, Custom> {
  static constexpr const char *name = "custom", *texts = "custom";
  static constexpr RuleMemory memory = RuleMemory::interval;

  static std::optional<Complaint> check(const Custom& custom) {
    if (custom.decide != nullptr) return std::nullopt;
    return Complaint{"has no function.",
                     "Give it in code, on all ranks: .trigger = evenkeel::Custom{function}."};
  }

  static Decision judge(const Custom& custom, RuleInput& on) {
    const bool yes = custom.decide != nullptr && custom.decide(view_of(on));
    return yes ? act(Reason::custom) : hold(Reason::custom);
  }

  static std::string explain(const Custom&, const Totals& totals, const Decision& decision) {
    return detail::lambda_first(totals) + ": the application's own rule says " +
           name_of(decision.action);
  }
};

}  // namespace evenkeel
