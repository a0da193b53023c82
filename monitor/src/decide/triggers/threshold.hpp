#pragma once

// Acts when the imbalance reaches a limit.

#include "decide/rule.hpp"
#include "decide/sentences.hpp"

#include <evenkeel/backends/text.hpp>

namespace evenkeel {

struct ThresholdRule : RuleOf<ThresholdRule, Threshold> {
  static constexpr const char* name = "threshold";
  static constexpr const char* texts = "threshold lambda LIMIT, threshold imbalance_percent LIMIT";

  static std::string print(const Threshold& limits) {
    const bool percent = limits.imbalance_percent != 0;
    std::string text = name;
    if (limits.lambda != 0 || !percent) text += " lambda " + text_of(limits.lambda);
    if (percent) text += " imbalance_percent " + text_of(limits.imbalance_percent);
    return text;
  }

  // From the second word on, the text has pairs of a word and a limit.
  static std::optional<Threshold> parse(const Words& words) {
    if (words.size() < 3 || words.size() % 2 == 0 || words.front() != name) return std::nullopt;
    std::optional<double> lambda, percent;
    for (std::size_t i = 1; i < words.size(); i += 2) {
      const bool is_lambda = words[i] == "lambda";
      std::optional<double>& limit = is_lambda ? lambda : percent;
      const bool known = is_lambda || words[i] == "imbalance_percent";
      if (!known || limit) return std::nullopt;
      limit = real_from_text(words[i + 1]);
      if (!limit) return std::nullopt;
    }
    return Threshold{.lambda = lambda.value_or(0), .imbalance_percent = percent.value_or(0)};
  }

  static std::optional<Complaint> check(const Threshold& limits) {
    const double lambda = limits.lambda, percent = limits.imbalance_percent;
    if (lambda == 0 && percent == 0)
      return Complaint{"has no limit.",
                       "Give a lambda or an imbalance_percent; for no rebalance at all, "
                       "choose `never`."};
    if (lambda != 0 && !(std::isfinite(lambda) && lambda > 1))
      return Complaint{"has an impossible lambda.",
                       "Give a lambda above 1, which is perfect balance, or 0 for no such limit."};
    if (percent != 0 && !(percent > 0 && percent <= 100))
      return Complaint{"has an impossible imbalance_percent.",
                       "Give a percentage above 0 and up to 100, or 0 for no such limit."};
    return std::nullopt;
  }

  static void add_numbers(detail::Hash& hash, const Threshold& limits) {
    hash.add(limits.lambda).add(limits.imbalance_percent);
  }

  static Decision judge(const Threshold& limits, RuleInput& on) {
    if (reaches(on.totals.lambda(), limits.lambda) ||
        reaches(on.totals.imbalance_percent(), limits.imbalance_percent))
      return act(Reason::above_threshold);
    return hold(Reason::below_threshold);
  }

  static std::string explain(const Threshold& limits, const Totals& totals,
                             const Decision& decision) {
    using namespace detail;
    const bool above = decision.reason == Reason::above_threshold;
    const Compared lambda(totals.lambda(), limits.lambda, lambda_decimals);
    const Compared percent(totals.imbalance_percent(), limits.imbalance_percent, percent_decimals);
    const std::string side = above ? " is above the threshold" : " is below the threshold";
    const bool both = limits.lambda > 0 && limits.imbalance_percent > 0;
    if (both && !above)
      return lambda_first(lambda.value, totals) + side + "s of " + lambda.limit + " and " +
             percent.limit + " %";
    if (above ? reaches(totals.lambda(), limits.lambda) : limits.lambda > 0)
      return lambda_first(lambda.value, totals) + side + " of " + lambda.limit;
    return percent_first(percent.value, totals) + side + " of " + percent.limit + " %";
  }

 private:
  static bool reaches(double value, double limit) { return limit > 0 && value >= limit; }
};

}  // namespace evenkeel
