#pragma once

// Zhai et al., ICPP 2018: what was lost as steps became slower >= C.

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

namespace evenkeel {

struct ZhaiRule : RuleOf<ZhaiRule, Zhai> {
  static constexpr const char *name = "zhai", *texts = "zhai";
  static constexpr Memory memory = Memory::interval;

  static Decision judge(const Zhai&, Question& on) {
    return weigh(on.after.interval.degradation, cost_of(on.after));
  }

  static std::string explain(const Zhai&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "lost as steps became slower");
  }
};

}  // namespace evenkeel
