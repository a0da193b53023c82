#pragma once

// Boulmier, Abdennadher and Chopard, 2022: n u - sum(u) >= C.

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

namespace evenkeel {

struct BoulmierRule : RuleOf<BoulmierRule, Boulmier> {
  static constexpr const char *name = "boulmier", *texts = "boulmier";
  static constexpr Memory memory = Memory::interval;

  static Decision judge(const Boulmier&, Question& on) {
    const Interval& interval = on.after.interval;
    const auto steps = static_cast<double>(interval.steps);
    return weigh(steps * interval.waste.front() - interval.wasted, cost_of(on.after));
  }

  static std::string explain(const Boulmier&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "lost to imbalance that has grown");
  }
};

}  // namespace evenkeel
