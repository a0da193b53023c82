#include <evenkeel/monitor/trigger.hpp>

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <array>
#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/trigger";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

// --- Text ----------------------------------------------------------------------------------------

std::string text_of(const Never&) { return "never"; }

std::string text_of(const Every& every) {
  const std::string period = std::to_string(every.period);
  if (every == Every{}) return "always";
  if (every.start == 0 && every.stop == 0) return "every " + period;
  return "every " + std::to_string(every.start) + ':' + std::to_string(every.stop) + ':' + period;
}

std::string text_of(const Threshold& threshold) {
  const bool percent = threshold.imbalance_percent != 0;
  std::string text = "threshold";
  if (threshold.lambda != 0 || !percent) text += " lambda " + evenkeel::text_of(threshold.lambda);
  if (percent) text += " imbalance_percent " + evenkeel::text_of(threshold.imbalance_percent);
  return text;
}

std::string text_of(const Menon&) { return "menon"; }
std::string text_of(const Zhai&) { return "zhai"; }
std::string text_of(const Procassini& procassini) {
  return procassini == Procassini{} ? "procassini"
                                    : "procassini " + evenkeel::text_of(procassini.rho);
}
std::string text_of(const Boulmier&) { return "boulmier"; }
std::string text_of(const CostAware&) { return "cost_aware"; }
std::string text_of(const Custom&) { return "custom"; }

[[noreturn]] void refuse_text(const std::string& text) {
  refuse(in_quotes(text) + " is no trigger.",
         "Give one of: cost_aware, never, always, every PERIOD, every START:STOP:PERIOD, threshold "
         "lambda LIMIT, threshold imbalance_percent LIMIT, menon, zhai, procassini, procassini "
         "RHO, boulmier, custom.");
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// PERIOD or START:STOP:PERIOD.
Every every_from(const std::string& text, std::string_view range) {
  std::vector<std::int64_t> numbers;
  for (bool more = true; more;) {
    const std::size_t colon = range.find(':');
    const auto number = integer_from_text(range.substr(0, colon));
    if (!number) refuse_text(text);
    numbers.push_back(*number);
    more = colon != std::string_view::npos;
    if (more) range.remove_prefix(colon + 1);
  }
  if (numbers.size() == 1) return {.period = numbers[0]};
  if (numbers.size() != 3) refuse_text(text);
  return {.start = numbers[0], .stop = numbers[1], .period = numbers[2]};
}

// Pairs of a word and a limit, from the second word on.
Threshold threshold_from(const std::string& text, const std::vector<std::string>& words) {
  std::optional<double> lambda, percent;
  if (words.size() % 2 == 0) refuse_text(text);
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const bool is_lambda = words[i] == "lambda";
    std::optional<double>& limit = is_lambda ? lambda : percent;
    const bool known = is_lambda || words[i] == "imbalance_percent";
    if (!known || limit) refuse_text(text);
    limit = real_from_text(words[i + 1]);
    if (!limit) refuse_text(text);
  }
  return {.lambda = lambda.value_or(0), .imbalance_percent = percent.value_or(0)};
}

Procassini procassini_from(const std::string& text, const std::string& word) {
  const auto rho = real_from_text(word);
  if (!rho) refuse_text(text);
  return {.rho = *rho};
}

// The triggers that are one word.
std::optional<Trigger> trigger_named(const std::string& name) {
  const std::array<std::pair<const char*, Trigger>, 8> named = {{{"cost_aware", CostAware{}},
                                                                 {"never", Never{}},
                                                                 {"always", Every{}},
                                                                 {"menon", Menon{}},
                                                                 {"zhai", Zhai{}},
                                                                 {"procassini", Procassini{}},
                                                                 {"boulmier", Boulmier{}},
                                                                 {"custom", Custom{}}}};
  for (const auto& [known, trigger] : named)
    if (name == known) return trigger;
  return std::nullopt;
}

Trigger parse(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const std::size_t count = words.size();
  const std::string first = count > 0 ? words.front() : "";
  if (const auto named = count == 1 ? trigger_named(first) : std::nullopt) return *named;
  if (count == 2 && first == "procassini") return procassini_from(text, words[1]);
  if (count == 2 && first == "every") return every_from(text, words[1]);
  if (count >= 3 && first == "threshold") return threshold_from(text, words);
  refuse_text(text);
}

// --- Sense ---------------------------------------------------------------------------------------

[[noreturn]] void refuse_trigger(const Trigger& trigger, const std::string& problem,
                                 const std::string& remedy) {
  refuse("The trigger " + in_quotes(to_text(trigger)) + ' ' + problem, remedy);
}

void check_kind(const Never&) {}
void check_kind(const Menon&) {}
void check_kind(const Zhai&) {}
void check_kind(const Boulmier&) {}
void check_kind(const CostAware&) {}

void check_kind(const Procassini& procassini) {
  if (!(procassini.rho > 0 && std::isfinite(procassini.rho)))
    refuse_trigger(procassini, "has an impossible rho.",
                   "Give a factor above 0; 1 asks that the next step alone pays for it.");
}

void check_kind(const Every& every) {
  if (every.period == 0)
    refuse_trigger(every, "has a period of 0.",
                   "Give a period of 1 or more; `never` is the word for no rebalance at all.");
  if (every.start < 0 || every.stop < 0 || every.period < 0)
    refuse_trigger(every, "has a negative number of steps.",
                   "Give a start of 0 or more, a stop of 0 (none) or more, and a period of 1 or "
                   "more.");
  if (every.stop != 0 && every.stop < every.start)
    refuse_trigger(every, "stops before it starts.",
                   "Give a stop that is not before the start, or 0 for none.");
}

void check_kind(const Threshold& threshold) {
  const double lambda = threshold.lambda, percent = threshold.imbalance_percent;
  if (lambda == 0 && percent == 0)
    refuse_trigger(threshold, "has no limit.",
                   "Give a lambda or an imbalance_percent; `never` is the word for no rebalance at "
                   "all.");
  if (lambda != 0 && !(std::isfinite(lambda) && lambda > 1))
    refuse_trigger(threshold, "has an impossible lambda.",
                   "Give a lambda above 1, which is perfect balance, or 0 for no such limit.");
  if (percent != 0 && !(percent > 0 && percent <= 100))
    refuse_trigger(threshold, "has an impossible imbalance_percent.",
                   "Give a percentage above 0 and up to 100, or 0 for no such limit.");
}

void check_kind(const Custom& custom) {
  if (custom.decide == nullptr)
    refuse_trigger(custom, "has no function.",
                   "Give it in code, on all ranks: .trigger = evenkeel::Custom{function}.");
}

}  // namespace

std::string to_text(const Trigger& trigger) {
  return std::visit([](const auto& kind) { return text_of(kind); }, trigger);
}

Trigger trigger_from_text(const std::string& text) {
  Trigger trigger = parse(text);
  if (!std::holds_alternative<Custom>(trigger)) check(trigger);
  return trigger;
}

void check(const Trigger& trigger) {
  std::visit([](const auto& kind) { check_kind(kind); }, trigger);
}

bool is_due(const Trigger& trigger, std::int64_t step) noexcept {
  const auto* every = std::get_if<Every>(&trigger);
  return every != nullptr && every->period > 0 && step > 0 && step >= every->start &&
         (every->stop == 0 || step <= every->stop) && (step - every->start) % every->period == 0;
}

}  // namespace evenkeel
