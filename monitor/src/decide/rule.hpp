#pragma once

// What a rule is. Each trigger has a file in triggers/ with a class that answers all that is asked
// of a rule; the table in trigger.cpp has a row for each, and everything else uses that table.
// docs/triggers.md says how to add one.

#include "agree/hash.hpp"
#include "decide/cost_aware.hpp"
#include "decide/decision.hpp"

#include <evenkeel/monitor/trigger.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

// The words of a text.
using Words = std::vector<std::string>;

// What is wrong with a trigger, to be read behind "The trigger 'x'", and what to give instead.
struct Complaint {
  std::string problem, remedy;
};

// What a rule is asked about: the state before the look, and what the look makes of it.
struct Question {
  const State& before;
  const Totals& totals;
  State& after;
  LoadSeen seen;
  Prospect prospect;
};

// The part of the state that a rule judges by. All parts are kept whatever the rule is, so that a
// journal can be replayed with another rule.
enum class Memory {
  none,
  interval,  // what was seen since the last rebalance
  outlook    // what would have been: it needs surveys, and says when to look next
};

// A row of the table. Functions take a trigger of the row's own kind.
struct Rule {
  std::size_t kind;  // the place in Trigger
  const char* name;
  const char* texts;  // all its spellings, as Errors list them
  std::string (*print)(const Trigger&);
  std::optional<Trigger> (*parse)(const Words&);  // nothing: the words mean something else
  std::optional<Complaint> (*check)(const Trigger&);
  void (*add_numbers)(detail::Hash&, const Trigger&);  // all the numbers of a trigger
  bool (*is_due)(const Trigger&, std::int64_t step);   // null: it does not act by steps
  Decision (*judge)(const Trigger&, Question&);        // null: it does not look at the load
  // Why it has judged so, in words.
  std::string (*explain)(const Trigger&, const Totals&, const Decision&);
  Memory memory;
};

const Rule& rule_of(const Trigger& trigger) noexcept;

// The defaults of a rule: its text is its name alone, and it has no numbers. `Self` is the class of
// the rule, `Kind` what users choose it by.
template <class Self, class Kind>
struct RuleOf {
  using Chosen = Kind;
  static constexpr Memory memory = Memory::none;

  static std::string print(const Kind&) { return Self::name; }
  static std::optional<Kind> parse(const Words& words) {
    if (words.size() == 1 && words.front() == Self::name) return Kind{};
    return std::nullopt;
  }
  static std::optional<Complaint> check(const Kind&) { return std::nullopt; }
  static void add_numbers(detail::Hash&, const Kind&) {}
  static std::string explain(const Kind&, const Totals&, const Decision& decision) {
    return name_of(decision.reason);
  }
};

// --- Judging -------------------------------------------------------------------------------------

constexpr Decision hold(Reason reason) { return {Action::hold, reason}; }
constexpr Decision act(Reason reason) { return {Action::rebalance, reason}; }

// Acts when what was lost has reached what a rebalance costs.
inline Decision weigh(double loss, double cost) {
  if (loss >= cost) return {Action::rebalance, Reason::above_cost, loss, cost};
  return {Action::hold, Reason::below_cost, loss, cost};
}

}  // namespace evenkeel
