#include "decide/rule.hpp"
#include "decide/sentences.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/backends/words.hpp>

namespace evenkeel::detail {

Compared::Compared(double number, double bound, int least_decimals) {
  constexpr int most_decimals = 6;
  bool told = false;
  for (int decimals = least_decimals; !told && decimals <= most_decimals; ++decimals) {
    value = fixed(number, decimals);
    limit = fixed(bound, decimals);
    told = real_from_text(limit) == bound && (number == bound || value != limit);
  }
}

std::string lambda_first(const std::string& lambda, const Totals& totals) {
  return "lambda " + lambda + " (imbalance " + fixed(totals.imbalance_percent(), percent_decimals) +
         " %)";
}

std::string lambda_first(const Totals& totals) {
  return lambda_first(fixed(totals.lambda(), lambda_decimals), totals);
}

std::string percent_first(const std::string& percent, const Totals& totals) {
  return "imbalance " + percent + " % (lambda " + fixed(totals.lambda(), lambda_decimals) + ')';
}

std::string explain_cost(const Totals& totals, const Decision& decision, const std::string& loss) {
  const bool act = decision.action == Action::rebalance;
  return lambda_first(totals) + ": " + seconds_of(std::max(0.0, decision.weighed)) + ' ' + loss +
         (act ? ", and a rebalance costs " : ", less than the ") + seconds_of(decision.against) +
         (act ? "" : " that a rebalance costs");
}

}  // namespace evenkeel::detail

namespace evenkeel {

namespace {

using detail::Compared;
using detail::lambda_first;
using detail::percent_decimals;
using detail::percent_first;

std::string explain_outdated(const DecisionState& state, const Totals& totals) {
  const bool one = totals.generation_least == totals.generation_greatest;
  return "the load was measured under generation " + std::to_string(totals.generation_least) +
         (one ? "" : " to " + std::to_string(totals.generation_greatest)) +
         " of the domains, which are at generation " + std::to_string(state.generation) + " now";
}

std::string explain_unfit(const Totals& totals) {
  if (totals.step_least != totals.step_greatest)
    return "the ranks are at different steps, from " + std::to_string(totals.step_least) + " to " +
           std::to_string(totals.step_greatest);
  return std::to_string(totals.unfit) + " of " + std::to_string(totals.ranks) +
         " ranks had no usable sample";
}

std::string explain_coverage(const DecisionState& state, const Totals& totals) {
  const Compared percent(100 * totals.coverage(), 100 * state.least_coverage, percent_decimals);
  return "the kernels cover " + percent.value + " % of the time, less than the " + percent.limit +
         " % asked for";
}

std::string explain_cooling_down(const DecisionState& state, const Totals& totals) {
  return std::to_string(totals.step_greatest - state.rebalanced_at) + " of " +
         std::to_string(state.cooldown_steps) + " steps of cool-down have passed";
}

std::string explain_floor(const DecisionState& state, const Totals& totals) {
  const Compared percent(totals.imbalance_percent(), state.floor_percent, percent_decimals);
  return percent_first(percent.value, totals) + " is below the floor of " + percent.limit + " %";
}

std::string explain_memory(const MemoryTotals& memory) {
  const bool will_be_full = memory.soonest.steps_left != RankMemory::never;
  const RankMemory& rank = will_be_full ? memory.soonest : memory.fullest;
  std::string text = "rank " + std::to_string(rank.rank) + " holds " +
                     detail::bytes_of(rank.bytes) + " of its " + detail::bytes_of(rank.limit);
  if (will_be_full && rank.bytes < rank.limit)
    text += " and is full in " + detail::count_of(rank.steps_left) + " steps at this growth";
  return text;
}

std::string lambda_at(double level) {
  return "lambda " + detail::fixed(1 + level, detail::lambda_decimals);
}

std::string explain_shift(const DecisionState& state, const Totals& totals) {
  return lambda_first(totals) + ": shift " + std::to_string(state.refinement.rounds + 1) + " of " +
         std::to_string(state.shift_rounds);
}

}  // namespace

std::string explain(const DecisionState& state, const Totals& totals, const Decision& decision) {
  switch (decision.reason) {
    case Reason::outdated: return explain_outdated(state, totals);
    case Reason::unfit: return explain_unfit(totals);
    case Reason::no_load: return "no kernel ran in " + std::to_string(totals.steps) + " steps";
    case Reason::low_coverage: return explain_coverage(state, totals);
    case Reason::cooling_down: return explain_cooling_down(state, totals);
    case Reason::below_floor: return explain_floor(state, totals);
    case Reason::not_asked:
      return "the trigger " + in_quotes(to_text(state.trigger)) + " does not look at the load";
    case Reason::due: return to_text(state.trigger);
    case Reason::paused: return "paused from outside";
    case Reason::commanded: return "asked for from outside";
    case Reason::requested: return "asked for by the application";
    case Reason::predicted: return "objects have changed";
    case Reason::memory: return explain_memory(totals.memory);
    case Reason::shifts: return explain_shift(state, totals);
    case Reason::returns_to_best:
      return lambda_first(totals) + "; an earlier shift had " + lambda_at(decision.against);
    case Reason::refined:
      return lambda_first(totals) + ": shifts have made the load as even as they can";
    default: return rule_of(state.trigger).explain(state.trigger, totals, decision);
  }
}

}  // namespace evenkeel
