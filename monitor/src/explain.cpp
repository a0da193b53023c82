#include <evenkeel/monitor/decision.hpp>

#include "words.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <optional>

namespace evenkeel {

namespace {

using detail::fixed;
using detail::seconds_of;

// A value and a limit with as many decimals as show the limit in full, and on which side of it the
// value lies, within reason.
struct Compared {
  std::string value, limit;
  Compared(double number, double bound, int least_decimals) {
    constexpr int most_decimals = 6;
    bool told = false;
    for (int decimals = least_decimals; !told && decimals <= most_decimals; ++decimals) {
      value = fixed(number, decimals);
      limit = fixed(bound, decimals);
      told = real_from_text(limit) == bound && (number == bound || value != limit);
    }
  }
};

constexpr int lambda_decimals = 2, percent_decimals = 0;

std::string lambda_first(const std::string& lambda, const Totals& totals) {
  return "lambda " + lambda + " (imbalance " + fixed(totals.imbalance_percent(), percent_decimals) +
         " %)";
}

std::string percent_first(const std::string& percent, const Totals& totals) {
  return "imbalance " + percent + " % (lambda " + fixed(totals.lambda(), lambda_decimals) + ')';
}

bool reaches(double value, double limit) { return limit > 0 && value >= limit; }

std::string explain_threshold(const Threshold& limits, const Totals& totals, bool above) {
  const Compared lambda(totals.lambda(), limits.lambda, lambda_decimals);
  const Compared percent(totals.imbalance_percent(), limits.imbalance_percent, percent_decimals);
  const std::string side = above ? " is above the threshold" : " is below the threshold";
  const bool both = limits.lambda > 0 && limits.imbalance_percent > 0;
  if (both && !above)
    return lambda_first(lambda.value, totals) + side + "s of " + lambda.limit + " and " +
           percent.limit + " %";
  if (above ? reaches(totals.lambda(), limits.lambda) : limits.lambda > 0)
    return lambda_first(lambda.value, totals) + side + " of " + lambda.limit;
  return percent_first(percent.value, totals) + side + " of " + percent.limit + " %";
}

std::string explain_outdated(const State& state, const Totals& totals) {
  const bool one = totals.generation_least == totals.generation_greatest;
  return "the load is of generation " + std::to_string(totals.generation_least) +
         (one ? "" : " to " + std::to_string(totals.generation_greatest)) +
         " of the decomposition, which is at " + std::to_string(state.generation) + " now";
}

std::string explain_unfit(const Totals& totals) {
  if (totals.step_least != totals.step_greatest)
    return "the ranks are at different steps, from " + std::to_string(totals.step_least) + " to " +
           std::to_string(totals.step_greatest);
  return "ranks without a sample to trust: " + std::to_string(totals.unfit) + " of " +
         std::to_string(totals.ranks);
}

std::string explain_coverage(const State& state, const Totals& totals) {
  const Compared percent(100 * totals.coverage(), 100 * state.least_coverage, percent_decimals);
  return "the kernels cover " + percent.value + " % of the time, less than the " + percent.limit +
         " % asked for";
}

std::string explain_cooling_down(const State& state, const Totals& totals) {
  return std::to_string(totals.step_greatest - state.rebalanced_at) + " of " +
         std::to_string(state.cooldown_steps) + " steps of cool-down have passed";
}

std::string explain_floor(const State& state, const Totals& totals) {
  const Compared percent(totals.imbalance_percent(), state.floor_percent, percent_decimals);
  return percent_first(percent.value, totals) + " is below the floor of " + percent.limit + " %";
}

std::string explain_unasked(const State& state, const Decision& decision) {
  const std::string trigger = "the trigger " + in_quotes(to_text(state.trigger));
  return decision.action == Action::hold ? trigger + " does not look at the load"
                                         : "asked for, whatever the load";
}

// What a look at the load says first, and then what a rebalance would take off each step beside
// what it must.
std::string explain_outlook(const Totals& totals, const Decision& decision, const std::string& what,
                            const std::string& subject) {
  std::string text = lambda_first(fixed(totals.lambda(), lambda_decimals), totals) + ": " + what +
                     " (" + subject + " would take " + seconds_of(std::max(0.0, decision.weighed)) +
                     " off each step";
  constexpr double endless = 1e300;
  if (decision.against < endless) text += "; it pays from " + seconds_of(decision.against) + " on";
  return text + ')';
}

std::string explain_outlook(const Totals& totals, const Decision& decision,
                            const std::string& what) {
  return explain_outlook(totals, decision, what, "a fresh cut");
}

// What was weighed, in words, by the trigger that did.
const char* loss_of(const Trigger& trigger) {
  if (std::holds_alternative<Menon>(trigger)) return "lost to imbalance since the last rebalance";
  if (std::holds_alternative<Zhai>(trigger)) return "lost as steps became slower";
  if (std::holds_alternative<Procassini>(trigger)) return "to win in the next step";
  return "lost to imbalance that has grown";
}

std::string explain_cost(const State& state, const Totals& totals, const Decision& decision) {
  const bool act = decision.action == Action::rebalance;
  return lambda_first(fixed(totals.lambda(), lambda_decimals), totals) + ": " +
         seconds_of(std::max(0.0, decision.weighed)) + ' ' + loss_of(state.trigger) +
         (act ? ", and a rebalance costs " : ", less than the ") + seconds_of(decision.against) +
         (act ? "" : " that a rebalance costs");
}

std::string explain_custom(const Totals& totals, const Decision& decision) {
  return lambda_first(fixed(totals.lambda(), lambda_decimals), totals) +
         ": the application's own rule says " + name_of(decision.action);
}

}  // namespace

std::string explain(const State& state, const Totals& totals, const Decision& decision) {
  const auto* given = std::get_if<Threshold>(&state.trigger);
  const Threshold limits = given != nullptr ? *given : Threshold{};
  switch (decision.reason) {
    case Reason::outdated: return explain_outdated(state, totals);
    case Reason::unfit: return explain_unfit(totals);
    case Reason::no_load: return "no kernel ran in " + std::to_string(totals.steps) + " steps";
    case Reason::low_coverage: return explain_coverage(state, totals);
    case Reason::cooling_down: return explain_cooling_down(state, totals);
    case Reason::below_floor: return explain_floor(state, totals);
    case Reason::below_threshold: return explain_threshold(limits, totals, false);
    case Reason::above_threshold: return explain_threshold(limits, totals, true);
    case Reason::not_asked: return explain_unasked(state, decision);
    case Reason::custom: return explain_custom(totals, decision);
    case Reason::below_cost:
      if (std::holds_alternative<CostAware>(state.trigger))
        return explain_outlook(totals, decision, "a rebalance does not pay yet");
      return explain_cost(state, totals, decision);
    case Reason::above_cost: return explain_cost(state, totals, decision);
    case Reason::curable: return explain_outlook(totals, decision, "a rebalance pays");
    case Reason::goes_back:
      return explain_outlook(totals, decision, "earlier domains would be more even", "they");
    case Reason::below_noise:
      return explain_outlook(totals, decision, "nothing that can be told from noise");
    case Reason::not_curable:
      return explain_outlook(totals, decision, "a fresh cut would be as uneven");
    case Reason::near_end:
      return explain_outlook(totals, decision, "what is left of the run does not pay for it");
    case Reason::in_debt:
      return explain_outlook(totals, decision, "rebalances have cost more than they saved");
    case Reason::paused: return "paused from outside";
    case Reason::commanded: return "asked for from outside";
  }
  return name_of(decision.reason);
}

}  // namespace evenkeel
