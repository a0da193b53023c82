#pragma once

#include "decide/interval.hpp"
#include "decide/rule.hpp"
#include "decide/sentences.hpp"

#include <evenkeel/backends/text.hpp>

namespace evenkeel {

// Procassini et al., 2005: compares the next step with a rebalance and without one.
struct ProcassiniRule : RuleOf<ProcassiniRule, Procassini> {
  static constexpr const char *name = "procassini", *texts = "procassini, procassini RHO";
  static constexpr RuleMemory memory = RuleMemory::interval;

  static std::string print(const Procassini& procassini) {
    if (procassini == Procassini{}) return name;
    return std::string(name) + ' ' + text_of(procassini.rho);
  }

  static std::optional<Procassini> parse(const Words& words) {
    if (words.empty() || words.size() > 2 || words.front() != name) return std::nullopt;
    if (words.size() == 1) return Procassini{};
    const auto rho = real_from_text(words.back());
    if (!rho) return std::nullopt;
    return Procassini{.rho = *rho};
  }

  static std::optional<Complaint> check(const Procassini& procassini) {
    if (procassini.rho > 0 && std::isfinite(procassini.rho)) return std::nullopt;
    return Complaint{
        "has an impossible rho.",
        "Give a finite factor above 0; with 1 the next step alone must pay for a rebalance."};
  }

  static void add_numbers(detail::Hash& hash, const Procassini& procassini) {
    hash.add(procassini.rho);
  }

  // Remembers the efficiency (average / max) of the first look after a rebalance.
  static void remember(LookInterval& interval, double) noexcept {
    const double peak = interval.peak.front();
    if (interval.looks == 1)
      interval.of_rule = peak > 0 ? (peak - interval.waste.front()) / peak : 1;
  }

  // The slowest rank is assumed to take average / efficiency after a rebalance, with the efficiency
  // that remember() has stored. The gain must exceed the cost.
  static Decision judge(const Procassini& procassini, RuleInput& on) {
    const LookInterval& interval = on.after.interval;
    const double peak = interval.peak.front(), mean = peak - interval.waste.front();
    const double after = interval.of_rule > 0 ? mean / interval.of_rule : peak;
    Decision decision = weigh(procassini.rho * peak - after, cost_of(on.after));
    if (decision.weighed == decision.against)
      return {Action::hold, Reason::below_cost, decision.weighed, decision.against};
    return decision;
  }

  static std::string explain(const Procassini&, const Totals& totals, const Decision& decision) {
    return detail::explain_cost(totals, decision, "to win in the next step");
  }
};

}  // namespace evenkeel
