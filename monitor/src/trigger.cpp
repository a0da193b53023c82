#include <evenkeel/monitor/trigger.hpp>

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
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

std::string text_of(const Custom&) { return "custom"; }

[[noreturn]] void refuse_text(const std::string& text) {
  refuse(in_quotes(text) + " is no trigger.",
         "Give one of: never, always, every PERIOD, every START:STOP:PERIOD, threshold lambda "
         "LIMIT, threshold imbalance_percent LIMIT, custom.");
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

Trigger parse(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const std::size_t count = words.size();
  const std::string first = count > 0 ? words.front() : "";
  if (count == 1 && first == "never") return Never{};
  if (count == 1 && first == "always") return Every{};
  if (count == 1 && first == "custom") return Custom{};
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

// --- Decision ------------------------------------------------------------------------------------

constexpr Decision hold(Reason reason) { return {Action::hold, reason}; }

Decision ask(const Never&, const State&, const Totals&) { return hold(Reason::not_asked); }

Decision ask(const Every&, const State&, const Totals&) { return hold(Reason::not_asked); }

bool reaches(double value, double limit) { return limit > 0 && value >= limit; }

Decision ask(const Threshold& threshold, const State&, const Totals& totals) {
  if (reaches(totals.lambda(), threshold.lambda) ||
      reaches(totals.imbalance_percent(), threshold.imbalance_percent))
    return {Action::rebalance, Reason::above_threshold};
  return hold(Reason::below_threshold);
}

Decision ask(const Custom& custom, const State& state, const Totals& totals) {
  const bool act = custom.decide != nullptr && custom.decide(state, totals);
  return {act ? Action::rebalance : Action::hold, Reason::custom};
}

bool is_outdated(const State& state, const Totals& totals) {
  return totals.generation_least != state.generation ||
         totals.generation_greatest != state.generation;
}

bool is_unfit(const Totals& totals) {
  return totals.unfit > 0 || totals.ranks <= 0 || totals.step_least != totals.step_greatest;
}

bool looks_at_the_load(const Trigger& trigger) {
  return std::holds_alternative<Threshold>(trigger) || std::holds_alternative<Custom>(trigger);
}

bool is_cooling_down(const State& state, const Totals& totals) {
  return state.rebalanced_at >= 0 &&
         totals.step_greatest - state.rebalanced_at < state.cooldown_steps;
}

Decision decide(const State& state, const Totals& totals) {
  if (is_outdated(state, totals)) return hold(Reason::outdated);
  if (is_unfit(totals)) return hold(Reason::unfit);
  if (!looks_at_the_load(state.trigger)) return hold(Reason::not_asked);
  if (totals.load.sum == 0) return hold(Reason::no_load);
  if (totals.coverage() < state.least_coverage) return hold(Reason::low_coverage);
  if (is_cooling_down(state, totals)) return hold(Reason::cooling_down);
  if (totals.imbalance_percent() < state.floor_percent) return hold(Reason::below_floor);
  return std::visit([&](const auto& trigger) { return ask(trigger, state, totals); },
                    state.trigger);
}

// --- Words ---------------------------------------------------------------------------------------

std::string fixed(double number, int decimals) {
  std::array<char, 512> text;  // the greatest double has 309 digits
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number,
                                     std::chars_format::fixed, decimals)
                           .ptr};
}

// A value and a limit with as many decimals as show the limit in full, and on which side of it the
// value lies, within reason.
struct Compared {
  std::string value, limit;
  Compared(double number, double bound, int least_decimals) {
    constexpr int most_decimals = 6;
    bool told = false;
    for (int decimals = least_decimals; !told && decimals <= most_decimals; ++decimals) {
      value = fixed(number, decimals);
      limit = fixed(bound, decimals);
      told = real_from_text(limit) == bound && (number == bound || value != limit);
    }
  }
};

constexpr int lambda_decimals = 2, percent_decimals = 0;

std::string lambda_first(const std::string& lambda, const Totals& totals) {
  return "lambda " + lambda + " (imbalance " + fixed(totals.imbalance_percent(), percent_decimals) +
         " %)";
}

std::string percent_first(const std::string& percent, const Totals& totals) {
  return "imbalance " + percent + " % (lambda " + fixed(totals.lambda(), lambda_decimals) + ')';
}

std::string explain_threshold(const Threshold& limits, const Totals& totals, bool above) {
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

std::string explain_outdated(const State& state, const Totals& totals) {
  const bool one = totals.generation_least == totals.generation_greatest;
  return "the load is of generation " + std::to_string(totals.generation_least) +
         (one ? "" : " to " + std::to_string(totals.generation_greatest)) +
         " of the decomposition, which is at " + std::to_string(state.generation) + " now";
}

std::string explain_unfit(const Totals& totals) {
  if (totals.step_least != totals.step_greatest)
    return "the ranks are at different steps, from " + std::to_string(totals.step_least) + " to " +
           std::to_string(totals.step_greatest);
  return "ranks without a sample to trust: " + std::to_string(totals.unfit) + " of " +
         std::to_string(totals.ranks);
}

std::string explain_coverage(const State& state, const Totals& totals) {
  const Compared percent(100 * totals.coverage(), 100 * state.least_coverage, percent_decimals);
  return "the kernels cover " + percent.value + " % of the time, less than the " + percent.limit +
         " % asked for";
}

std::string explain_cooling_down(const State& state, const Totals& totals) {
  return std::to_string(totals.step_greatest - state.rebalanced_at) + " of " +
         std::to_string(state.cooldown_steps) + " steps of cool-down have passed";
}

std::string explain_floor(const State& state, const Totals& totals) {
  const Compared percent(totals.imbalance_percent(), state.floor_percent, percent_decimals);
  return percent_first(percent.value, totals) + " is below the floor of " + percent.limit + " %";
}

std::string explain_unasked(const State& state, const Decision& decision) {
  const std::string trigger = "the trigger " + in_quotes(to_text(state.trigger));
  return decision.action == Action::hold ? trigger + " does not look at the load"
                                         : "asked for, whatever the load";
}

std::string explain_custom(const Totals& totals, const Decision& decision) {
  return lambda_first(fixed(totals.lambda(), lambda_decimals), totals) +
         ": the application's own rule says " + name_of(decision.action);
}

// --- Hash ----------------------------------------------------------------------------------------

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv. Numbers go in as eight bytes, the lowest
// first, on any machine.
class Hash {
 public:
  Hash& add_byte(unsigned char byte) noexcept {
    value_ = (value_ ^ byte) * 0x100000001b3U;
    return *this;
  }
  Hash& add(std::int64_t number) noexcept {
    const auto bits = static_cast<std::uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<unsigned char>(bits >> shift & 0xFFU));
    return *this;
  }
  Hash& add(double number) noexcept {
    const double normal = number == 0 ? 0 : number;  // -0.0 equals 0.0
    return add(std::bit_cast<std::int64_t>(normal));
  }
  Hash& add(std::string_view text) noexcept {
    for (const char character : text) add_byte(static_cast<unsigned char>(character));
    return *this;
  }
  Hash& add(const Never&) noexcept { return add(std::string_view("never")); }
  Hash& add(const Every& every) noexcept {
    return add(std::string_view("every")).add(every.start).add(every.stop).add(every.period);
  }
  Hash& add(const Threshold& threshold) noexcept {
    return add(std::string_view("threshold"))
        .add(threshold.lambda)
        .add(threshold.imbalance_percent);
  }
  // A function has another address in each process.
  Hash& add(const Custom&) noexcept { return add(std::string_view("custom")); }
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

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

Verdict fold(const State& state, const Totals& totals) {
  Verdict verdict{state, decide(state, totals)};
  ++verdict.state.looks;
  verdict.state.step = totals.step_greatest;
  if (!is_outdated(state, totals) && !is_unfit(totals))
    verdict.state.mean_load = totals.load.sum / totals.ranks;
  return verdict;
}

State rebalanced(State state, std::int64_t step, std::int64_t generation) noexcept {
  ++state.rebalances;
  state.rebalanced_at = step;
  state.generation = generation;
  return state;
}

std::string explain(const State& state, const Totals& totals, const Decision& decision) {
  const auto* given = std::get_if<Threshold>(&state.trigger);
  const Threshold limits = given != nullptr ? *given : Threshold{};
  switch (decision.reason) {
    case Reason::outdated: return explain_outdated(state, totals);
    case Reason::unfit: return explain_unfit(totals);
    case Reason::no_load: return "no kernel ran in " + std::to_string(totals.steps) + " steps";
    case Reason::low_coverage: return explain_coverage(state, totals);
    case Reason::cooling_down: return explain_cooling_down(state, totals);
    case Reason::below_floor: return explain_floor(state, totals);
    case Reason::below_threshold: return explain_threshold(limits, totals, false);
    case Reason::above_threshold: return explain_threshold(limits, totals, true);
    case Reason::not_asked: return explain_unasked(state, decision);
    case Reason::custom: return explain_custom(totals, decision);
  }
  return name_of(decision.reason);
}

const char* name_of(Action action) noexcept {
  switch (action) {
    case Action::hold: return "hold";
    case Action::rebalance: return "rebalance";
  }
  return "unknown";
}

const char* name_of(Reason reason) noexcept {
  switch (reason) {
    case Reason::outdated: return "outdated";
    case Reason::unfit: return "unfit";
    case Reason::no_load: return "no_load";
    case Reason::low_coverage: return "low_coverage";
    case Reason::cooling_down: return "cooling_down";
    case Reason::below_floor: return "below_floor";
    case Reason::below_threshold: return "below_threshold";
    case Reason::above_threshold: return "above_threshold";
    case Reason::not_asked: return "not_asked";
    case Reason::custom: return "custom";
  }
  return "unknown";
}

std::uint64_t hash_of(const State& state) {
  Hash hash;
  std::visit([&](const auto& trigger) { hash.add(trigger); }, state.trigger);
  return hash.add(state.floor_percent)
      .add(state.least_coverage)
      .add(state.cooldown_steps)
      .add(state.looks)
      .add(state.step)
      .add(state.generation)
      .add(state.rebalances)
      .add(state.rebalanced_at)
      .add(state.mean_load)
      .value();
}

std::uint64_t hash_of(const Decision& decision) noexcept {
  return Hash()
      .add(static_cast<std::int64_t>(decision.action))
      .add(static_cast<std::int64_t>(decision.reason))
      .value();
}

std::uint64_t hash_of(const std::string& text) noexcept {
  return Hash().add(std::string_view(text)).value();
}

}  // namespace evenkeel
