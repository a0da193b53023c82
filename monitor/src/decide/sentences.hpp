#pragma once

// Parts of the sentences in which rules explain themselves.

#include "agree/epoch.hpp"
#include "decide/decision.hpp"

#include <string>

namespace evenkeel::detail {

inline constexpr int lambda_decimals = 2, percent_decimals = 0;

// A value and a limit, with enough decimals to show the limit in full and the side of it on which
// the value lies; six decimals at most.
struct Compared {
  std::string value, limit;
  Compared(double number, double bound, int least_decimals);
};

// Both figures of imbalance.
std::string lambda_first(const Totals& totals);
std::string lambda_first(const std::string& lambda, const Totals& totals);
std::string percent_first(const std::string& percent, const Totals& totals);

// What was weighed against the cost of a rebalance; `loss` says in words what that is.
std::string explain_cost(const Totals& totals, const Decision& decision, const std::string& loss);

}  // namespace evenkeel::detail
