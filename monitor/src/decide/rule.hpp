#pragma once

// The interface of rules. Each trigger has a class with the functions of its rule, in a file of
// triggers/. The table in trigger.cpp has a row for each class, and all other code uses that table.
// docs/triggers.md describes how to add a rule.

#include "decide/cost_aware.hpp"
#include "observe/hash.hpp"

namespace evenkeel {

// The words of a text.
using Words = std::vector<std::string>;

// Describes an invalid trigger, and the remedy. `problem` continues the sentence "The trigger 'x'".
struct Complaint {
  std::string problem, remedy;
};

// The input of a rule: the state before the look, the results of the look, and the state after it,
// which the rule may change.
struct RuleInput {
  const DecisionState& before;
  const Totals& totals;
  DecisionState& after;
  LoadSeen seen;
  Prospect prospect;
};

// The part of the state by which a rule judges. The state keeps all parts for any rule, so that a
// journal can be replayed with another rule.
enum class RuleMemory {
  none,
  interval,  // the looks since the last rebalance
  outlook    // loads under other domains; the rule needs surveys, and sets the next look
};

// A row of the table. Its functions take a trigger of the row's own kind.
struct Rule {
  std::size_t kind;  // the index in Trigger
  const char* name;
  const char* texts;  // all forms of the trigger's text, as Errors list them
  std::string (*print)(const Trigger&);
  std::optional<Trigger> (*parse)(const Words&);  // empty if the words are not of this rule
  std::optional<Complaint> (*check)(const Trigger&);
  void (*add_numbers)(detail::Hash&, const Trigger&);  // all the numbers of a trigger
  bool (*is_due)(const Trigger&, std::int64_t step);   // null if the rule does not act by steps
  Decision (*judge)(const Trigger&, RuleInput&);       // null if the rule ignores the load
  // Stores in LookInterval::of_rule the value that the rule needs from a look over `steps` steps.
  void (*remember)(LookInterval&, double steps) noexcept;
  // The reason of the decision as a clause.
  std::string (*explain)(const Trigger&, const Totals&, const Decision&);
  RuleMemory memory;
};

EVENKEEL_API const Rule& rule_of(const Trigger& trigger) noexcept;

// The defaults of a rule: its text is only its name, and it has no numbers. `Self` is the class of
// the rule. `Kind` is the type by which users choose the rule.
template <class Self, class Kind>
struct RuleOf {
  using Chosen = Kind;
  static constexpr RuleMemory memory = RuleMemory::none;

  static std::string print(const Kind&) { return Self::name; }
  static std::optional<Kind> parse(const Words& words) {
    if (words.size() == 1 && words.front() == Self::name) return Kind{};
    return std::nullopt;
  }
  static std::optional<Complaint> check(const Kind&) { return std::nullopt; }
  static void add_numbers(detail::Hash&, const Kind&) {}
  static void remember(LookInterval&, double) noexcept {}
  static std::string explain(const Kind&, const Totals&, const Decision& decision) {
    return name_of(decision.reason);
  }
};

// --- Judging -------------------------------------------------------------------------------------

constexpr Decision hold(Reason reason) { return {Action::hold, reason}; }
constexpr Decision act(Reason reason) { return {Action::rebalance, reason}; }

// Acts when the loss has reached the cost of a rebalance.
inline Decision weigh(double loss, double cost) {
  if (loss >= cost) return {Action::rebalance, Reason::above_cost, loss, cost};
  return {Action::hold, Reason::below_cost, loss, cost};
}

}  // namespace evenkeel
