#pragma once

// Parts of the sentences in which rules explain their decisions.

#include "decide/decision.hpp"

namespace evenkeel::detail {

inline constexpr int lambda_decimals = 2, percent_decimals = 0;

// A value and a limit as text. There are enough decimals, at most six, to show the whole limit, and
// on which side of it the value is.
struct Compared {
  std::string value, limit;
  Compared(double number, double bound, int least_decimals);
};

// Both figures of imbalance: first lambda, then the percent.
std::string lambda_first(const Totals& totals);
std::string lambda_first(const std::string& lambda, const Totals& totals);
std::string percent_first(const std::string& percent, const Totals& totals);

// Compares the loss with the cost of a rebalance; `loss` describes the loss.
std::string explain_cost(const Totals& totals, const Decision& decision, const std::string& loss);

}  // namespace evenkeel::detail
