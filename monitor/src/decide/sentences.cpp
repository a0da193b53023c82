#include "decide/sentences.hpp"

#include "tell/words.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>

namespace evenkeel::detail {

Compared::Compared(double number, double bound, int least_decimals) {
  constexpr int most_decimals = 6;
  bool told = false;
  for (int decimals = least_decimals; !told && decimals <= most_decimals; ++decimals) {
    value = fixed(number, decimals);
    limit = fixed(bound, decimals);
    told = real_from_text(limit) == bound && (number == bound || value != limit);
  }
}

std::string lambda_first(const std::string& lambda, const Totals& totals) {
  return "lambda " + lambda + " (imbalance " + fixed(totals.imbalance_percent(), percent_decimals) +
         " %)";
}

std::string lambda_first(const Totals& totals) {
  return lambda_first(fixed(totals.lambda(), lambda_decimals), totals);
}

std::string percent_first(const std::string& percent, const Totals& totals) {
  return "imbalance " + percent + " % (lambda " + fixed(totals.lambda(), lambda_decimals) + ')';
}

std::string explain_cost(const Totals& totals, const Decision& decision, const std::string& loss) {
  const bool act = decision.action == Action::rebalance;
  return lambda_first(totals) + ": " + seconds_of(std::max(0.0, decision.weighed)) + ' ' + loss +
         (act ? ", and a rebalance costs " : ", less than the ") + seconds_of(decision.against) +
         (act ? "" : " that a rebalance costs");
}

}  // namespace evenkeel::detail
