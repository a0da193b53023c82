#pragma once

// Nothing moves unless rebalance() is called.

#include "decide/rule.hpp"

namespace evenkeel {

struct NeverRule : RuleOf<NeverRule, Never> {
  static constexpr const char *name = "never", *texts = "never";
};

}  // namespace evenkeel
