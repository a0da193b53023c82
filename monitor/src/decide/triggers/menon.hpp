#pragma once

// Menon, Jain, Zheng and Kale, Cluster 2012: sum(u) >= C.

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

namespace evenkeel {

struct MenonRule : RuleOf<MenonRule, Menon> {
  static constexpr const char *name = "menon", *texts = "menon";
  static constexpr Memory memory = Memory::interval;

  static Decision judge(const Menon&, Question& on) {
    return weigh(on.after.interval.wasted, cost_of(on.after));
  }

  static std::string explain(const Menon&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "lost to imbalance since the last rebalance");
  }
};

}  // namespace evenkeel
