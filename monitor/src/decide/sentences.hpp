#pragma once

// Parts of the sentences in which rules explain their decisions.

#include "decide/decision.hpp"

namespace evenkeel::detail {

inline constexpr int lambda_decimals = 2, percent_decimals = 0;

// A value and a limit, with enough decimals to show the limit in full and on which side of it the
// value is; at most six decimals.
struct Compared {
  std::string value, limit;
  Compared(double number, double bound, int least_decimals);
};

// Both figures of imbalance.
std::string lambda_first(const Totals& totals);
std::string lambda_first(const std::string& lambda, const Totals& totals);
std::string percent_first(const std::string& percent, const Totals& totals);

// Compares the weighed loss with the cost of a rebalance; `loss` names the loss in words.
std::string explain_cost(const Totals& totals, const Decision& decision, const std::string& loss);

}  // namespace evenkeel::detail
