#pragma once

// The default trigger. decide/cost_aware.hpp has its rule; this file has its explanations.

#include "decide/rule.hpp"
#include "decide/sentences.hpp"

#include <evenkeel/backends/words.hpp>

namespace evenkeel {

struct CostAwareRule : RuleOf<CostAwareRule, CostAware> {
  static constexpr const char *name = "cost_aware", *texts = "cost_aware";
  static constexpr RuleMemory memory = RuleMemory::outlook;

  static Decision judge(const CostAware&, RuleInput& on) {
    if (on.totals.steps <= 0) return hold(Reason::unfit);
    Decision decision = evenkeel::judge(on.after.outlook, on.seen, on.prospect);
    const double mean = on.totals.mean_load() / static_cast<double>(on.totals.steps);
    decision.weighed *= mean;
    decision.against *= mean;
    return decision;
  }

  static std::string explain(const CostAware&, const Totals& totals, const Decision& decision) {
    const char* const subject = decision.reason == Reason::goes_back ? "they" : "a fresh cut";
    constexpr double no_price = 1e300;
    std::string text = detail::lambda_first(totals) + ": " + finding_of(decision.reason) + " (" +
                       subject + " would take " +
                       detail::seconds_of(std::max(0.0, decision.weighed)) + " off each step";
    if (decision.against < no_price)
      text += "; it pays at " + detail::seconds_of(decision.against) + " or more";
    return text + ')';
  }

 private:
  static const char* finding_of(Reason reason) {
    switch (reason) {
      case Reason::below_cost: return "a rebalance does not pay yet";
      case Reason::curable: return "a rebalance pays";
      case Reason::goes_back: return "earlier domains would be more even";
      case Reason::below_noise: return "a rebalance gains no more than noise";
      case Reason::not_curable: return "a fresh cut would be as uneven";
      case Reason::near_end: return "the rest of the run is too short to pay for it";
      case Reason::in_debt: return "rebalances have cost more than they saved";
      default: return name_of(reason);
    }
  }
};

}  // namespace evenkeel
