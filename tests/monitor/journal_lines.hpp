#pragma once

// What a line of the journal says, as what a decision is made from.

#include <evenkeel/monitor/journal.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace evenkeel::test {

using nlohmann::json;

// The same keys and values as in a state's text; a number's own text keeps its bits.
inline State read_state(const json& from) {
  const auto text_of = [](const json& value) {
    if (value.is_string()) return value.get<std::string>();
    std::string text = value.dump();
    std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
    return text;
  };
  std::string text;
  for (const auto& [key, value] : from.items()) text += key + " = " + text_of(value) + '\n';
  return state_from_text(text, "the journal");
}

inline Tally read_tally(const json& from) { return {from.at(0), from.at(1), from.at(2)}; }

inline std::uint64_t read_hash(const json& from) {
  return std::stoull(from.get<std::string>(), nullptr, 16);
}

inline Counterfactual read_counterfactual(const json& from) {
  Counterfactual would_be;
  from.at("first").get_to(would_be.first);
  from.at("previous").get_to(would_be.previous);
  from.at("first_again").get_to(would_be.first_again);
  from.at("previous_again").get_to(would_be.previous_again);
  from.at("fresh").get_to(would_be.fresh);
  from.at("as_weighed").get_to(would_be.as_weighed);
  from.at("advised").get_to(would_be.advised);
  from.at("earlier").get_to(would_be.earlier);
  from.at("age").get_to(would_be.age);
  return would_be;
}

inline Totals read_totals(const json& from) {
  Totals totals;
  from.at("step_least").get_to(totals.step_least);
  from.at("step_greatest").get_to(totals.step_greatest);
  from.at("generation_least").get_to(totals.generation_least);
  from.at("generation_greatest").get_to(totals.generation_greatest);
  totals.names_least = read_hash(from.at("names_least"));
  totals.names_greatest = read_hash(from.at("names_greatest"));
  from.at("ranks").get_to(totals.ranks);
  from.at("unfit").get_to(totals.unfit);
  from.at("steps").get_to(totals.steps);
  totals.load = read_tally(from.at("load"));
  totals.duration = read_tally(from.at("duration"));
  totals.objects = read_tally(from.at("objects"));
  from.at("cost").get_to(totals.cost);
  from.at("rebuild").get_to(totals.rebuild);
  from.at("extra").get_to(totals.extra);
  from.at("bytes").get_to(totals.bytes);
  from.at("command").get_to(totals.command);
  from.at("survey").get_to(totals.survey);
  from.at("unit").get_to(totals.unit);
  from.at("spread").get_to(totals.spread);
  from.at("variance").get_to(totals.variance);
  totals.phases.fill(Tally::of(0));
  std::transform(from.at("phases").begin(), from.at("phases").end(), totals.phases.begin(),
                 read_tally);
  from.at("all_steps").get_to(totals.all_steps);
  from.at("all_load").get_to(totals.all_load);
  from.at("slots").get_to(totals.slots);
  from.at("other_slots").get_to(totals.other_slots);
  totals.would_be = read_counterfactual(from.at("would_be"));
  if (from.at("kernels").is_null()) return totals;
  std::transform(from.at("kernels").begin(), from.at("kernels").end(), totals.kernels.begin(),
                 read_tally);
  totals.kernels[Totals::other] = read_tally(from.at("other"));
  return totals;
}

}  // namespace evenkeel::test
