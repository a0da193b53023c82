#pragma once

// The interface of rules. Each trigger has a class, in a file of triggers/, with the functions of
// its rule. The table in trigger.cpp has a row for each class, and all other code uses that table.
// docs/triggers.md describes how to add a rule.

#include "decide/cost_aware.hpp"
#include "observe/hash.hpp"

namespace evenkeel {

// The words of a text.
using Words = std::vector<std::string>;

// The problem of an invalid trigger, to be read after "The trigger 'x'", and the remedy.
struct Complaint {
  std::string problem, remedy;
};

// The input of a rule: the state before the look, and the results of the look.
struct RuleInput {
  const DecisionState& before;
  const Totals& totals;
  DecisionState& after;
  LoadSeen seen;
  Prospect prospect;
};

// The part of the state by which a rule judges. All parts are kept for every rule, so that a
// journal can be replayed with another rule.
enum class RuleMemory {
  none,
  interval,  // the looks since the last rebalance
  outlook    // loads under other domains: needs surveys, and sets the next look
};

// A row of the table. Functions take a trigger of the row's own kind.
struct Rule {
  std::size_t kind;  // the index in Trigger
  const char* name;
  const char* texts;  // all its spellings, as Errors list them
  std::string (*print)(const Trigger&);
  std::optional<Trigger> (*parse)(const Words&);  // empty for the words of other rules
  std::optional<Complaint> (*check)(const Trigger&);
  void (*add_numbers)(detail::Hash&, const Trigger&);  // all the numbers of a trigger
  bool (*is_due)(const Trigger&, std::int64_t step);   // null if it does not act by steps
  Decision (*judge)(const Trigger&, RuleInput&);       // null if it ignores the load
  // Keeps in LookInterval::of_rule the value that it needs from a look over `steps`.
  void (*remember)(LookInterval&, double steps) noexcept;
  // The reason of its decision in words.
  std::string (*explain)(const Trigger&, const Totals&, const Decision&);
  RuleMemory memory;
};

EVENKEEL_API const Rule& rule_of(const Trigger& trigger) noexcept;

// The defaults of a rule: its text is only its name, and it has no numbers. `Self` is the class of
// the rule, `Kind` the type by which users choose it.
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
