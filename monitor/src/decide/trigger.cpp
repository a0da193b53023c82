#include <evenkeel/monitor/trigger.hpp>

#include "decide/triggers/by_cost.hpp"
#include "decide/triggers/by_steps.hpp"
#include "decide/triggers/cost_aware.hpp"
#include "decide/triggers/custom.hpp"
#include "decide/triggers/procassini.hpp"
#include "decide/triggers/threshold.hpp"
#include "decide/triggers/zhai.hpp"

#include <evenkeel/backends/error.hpp>

#include <locale>
#include <sstream>

namespace evenkeel {

namespace {

// --- The table of rules --------------------------------------------------------------------------

template <class R>
const typename R::Chosen& chosen(const Trigger& trigger) {
  return std::get<typename R::Chosen>(trigger);
}

template <class R>
std::optional<Trigger> parse_as(const Words& words) {
  const auto parsed = R::parse(words);
  return parsed ? std::optional<Trigger>(*parsed) : std::nullopt;
}

template <class R>
constexpr auto due_of() -> decltype(Rule::is_due) {
  if constexpr (requires { &R::is_due; })
    return [](const Trigger& trigger, std::int64_t step) {
      return R::is_due(chosen<R>(trigger), step);
    };
  else
    return nullptr;
}

template <class R>
constexpr auto judge_of() -> decltype(Rule::judge) {
  if constexpr (requires { &R::judge; })
    return [](const Trigger& trigger, RuleInput& on) { return R::judge(chosen<R>(trigger), on); };
  else
    return nullptr;
}

template <class R>
constexpr Rule row() {
  return {.kind = Trigger(typename R::Chosen{}).index(),
          .name = R::name,
          .texts = R::texts,
          .print = [](const Trigger& trigger) { return R::print(chosen<R>(trigger)); },
          .parse = &parse_as<R>,
          .check = [](const Trigger& trigger) { return R::check(chosen<R>(trigger)); },
          .add_numbers = [](detail::Hash& hash,
                            const Trigger& trigger) { R::add_numbers(hash, chosen<R>(trigger)); },
          .is_due = due_of<R>(),
          .judge = judge_of<R>(),
          .remember = &R::remember,
          .explain =
              [](const Trigger& trigger, const Totals& totals, const Decision& decision) {
                return R::explain(chosen<R>(trigger), totals, decision);
              },
          .memory = R::memory};
}

// In the order of the alternatives of Trigger.
constexpr std::array<Rule, std::variant_size_v<Trigger>> rules = {
    row<CostAwareRule>(),   // the default
    row<NeverRule>(),       // never acts
    row<EveryRule>(),       // acts at given steps
    row<ThresholdRule>(),   // acts at an imbalance
    row<MenonRule>(),       // acts at a loss
    row<ZhaiRule>(),        // acts at a loss
    row<ProcassiniRule>(),  // acts at a loss
    row<BoulmierRule>(),    // acts at a loss
    row<CustomRule>(),      // acts as the application says
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].kind != i) return false;
  return true;
}
static_assert(is_in_order(), "rule_of() finds the row of a trigger by its place");

// --- Text ----------------------------------------------------------------------------------------

constexpr Refusal refuse{"monitor/trigger"};

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

const Rule& rule_of(const Trigger& trigger) noexcept { return rules[trigger.index()]; }

std::string to_text(const Trigger& trigger) { return rule_of(trigger).print(trigger); }

Trigger trigger_from_text(const std::string& text) {
  const Words words = words_of(text);
  for (const Rule& rule : rules) {
    const auto trigger = rule.parse(words);
    if (!trigger) continue;
    if (!is_of_application(*trigger)) check(*trigger);
    return *trigger;
  }
  refuse(in_quotes(text) + " is not a trigger.", "Give one of: " + trigger_texts(true) + '.');
}

std::string trigger_texts(bool with_custom) {
  std::string texts;
  for (const Rule& rule : rules)
    if (with_custom || rule.kind != Trigger(Custom{}).index())
      texts.append(texts.empty() ? "" : ", ").append(rule.texts);
  return texts;
}

void check(const Trigger& trigger) {
  const auto complaint = rule_of(trigger).check(trigger);
  if (complaint)
    refuse("The trigger " + in_quotes(to_text(trigger)) + ' ' + complaint->problem,
           complaint->remedy);
}

bool is_due(const Trigger& trigger, std::int64_t step) noexcept {
  const Rule& rule = rule_of(trigger);
  return rule.is_due != nullptr && rule.is_due(trigger, step);
}

bool acts_by_steps(const Trigger& trigger) noexcept { return rule_of(trigger).is_due != nullptr; }

bool judges_the_load(const Trigger& trigger) noexcept { return rule_of(trigger).judge != nullptr; }

bool needs_surveys(const Trigger& trigger) noexcept {
  return rule_of(trigger).memory == RuleMemory::outlook;
}

bool is_of_application(const Trigger& trigger) noexcept {
  return std::holds_alternative<Custom>(trigger);
}

}  // namespace evenkeel
