#pragma once

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

namespace evenkeel {

// Zhai et al., ICPP 2018: acts when the time that is lost because steps have become slower reaches
// the cost of a rebalance.
struct ZhaiRule : RuleOf<ZhaiRule, Zhai> {
  static constexpr const char *name = "zhai", *texts = "zhai";
  static constexpr RuleMemory memory = RuleMemory::interval;

  static void remember(LookInterval& interval, double steps) noexcept {
    const double so_far = interval.slowest / static_cast<double>(interval.steps);
    interval.of_rule += (interval.median_peak() - so_far) * steps;
  }

  static Decision judge(const Zhai&, RuleInput& on) {
    return weigh(on.after.interval.of_rule, cost_of(on.after));
  }

  static std::string explain(const Zhai&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "lost as steps became slower");
  }
};

}  // namespace evenkeel
