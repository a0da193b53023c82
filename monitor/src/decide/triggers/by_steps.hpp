#pragma once

// Rules that never act, or act at steps that are known beforehand, whatever the load is.

#include "decide/rule.hpp"

#include <evenkeel/backends/text.hpp>

namespace evenkeel {

// Never acts: nothing moves unless the application or a command asks for a rebalance.
struct NeverRule : RuleOf<NeverRule, Never> {
  static constexpr const char *name = "never", *texts = "never";
};

struct EveryRule : RuleOf<EveryRule, Every> {
  static constexpr const char* name = "every";
  static constexpr const char* texts = "always, every PERIOD, every START:STOP:PERIOD";

  static std::string print(const Every& every) {
    const std::string period = std::to_string(every.period);
    if (every == Every{}) return "always";
    if (every.start == 0 && every.stop == 0) return "every " + period;
    return "every " + std::to_string(every.start) + ':' + std::to_string(every.stop) + ':' + period;
  }

  static std::optional<Every> parse(const Words& words) {
    if (words.size() == 1 && words.front() == "always") return Every{};
    if (words.size() != 2 || words.front() != name) return std::nullopt;
    std::string_view range = words.back();
    std::vector<std::int64_t> numbers;
    for (bool more = true; more;) {
      const std::size_t colon = range.find(':');
      const auto number = integer_from_text(range.substr(0, colon));
      if (!number) return std::nullopt;
      numbers.push_back(*number);
      more = colon != std::string_view::npos;
      if (more) range.remove_prefix(colon + 1);
    }
    if (numbers.size() == 1) return Every{.period = numbers[0]};
    if (numbers.size() != 3) return std::nullopt;
    return Every{.start = numbers[0], .stop = numbers[1], .period = numbers[2]};
  }

  static std::optional<Complaint> check(const Every& every) {
    if (every.period == 0)
      return Complaint{"has a period of 0.",
                       "Give a period of 1 or more; for no rebalance at all, choose `never`."};
    if (every.start < 0 || every.stop < 0 || every.period < 0)
      return Complaint{
          "has a negative number of steps.",
          "Give a start of 0 or more, a stop of 0 (no stop) or more, and a period of 1 "
          "or more."};
    if (every.stop != 0 && every.stop < every.start)
      return Complaint{"stops before it starts.",
                       "Give a stop that is not before the start, or 0 for no stop."};
    return std::nullopt;
  }

  static void add_numbers(detail::Hash& hash, const Every& every) {
    hash.add(every.start).add(every.stop).add(every.period);
  }

  static bool is_due(const Every& every, std::int64_t step) noexcept {
    return every.period > 0 && step > 0 && step >= every.start &&
           (every.stop == 0 || step <= every.stop) && (step - every.start) % every.period == 0;
  }
};

}  // namespace evenkeel
