#pragma once

// Rules that act when the loss has reached the cost C of a rebalance. Sums are over the steps since
// the last rebalance, and n is their number; u is the greatest load minus the average.

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

namespace evenkeel {

// Menon, Jain, Zheng and Kale, Cluster 2012: sum(u) >= C.
struct MenonRule : RuleOf<MenonRule, Menon> {
  static constexpr const char *name = "menon", *texts = "menon";
  static constexpr RuleMemory memory = RuleMemory::interval;

  static Decision judge(const Menon&, RuleInput& on) {
    return weigh(on.after.interval.wasted, cost_of(on.after));
  }

  static std::string explain(const Menon&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "lost to imbalance since the last rebalance");
  }
};

// Boulmier, Abdennadher and Chopard, 2022: n u - sum(u) >= C.
struct BoulmierRule : RuleOf<BoulmierRule, Boulmier> {
  static constexpr const char *name = "boulmier", *texts = "boulmier";
  static constexpr RuleMemory memory = RuleMemory::interval;

  static Decision judge(const Boulmier&, RuleInput& on) {
    const LookInterval& interval = on.after.interval;
    const auto steps = static_cast<double>(interval.steps);
    return weigh(steps * interval.waste.front() - interval.wasted, cost_of(on.after));
  }

  static std::string explain(const Boulmier&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "lost to imbalance that has grown");
  }
};

}  // namespace evenkeel
