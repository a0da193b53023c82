#include "replay/from_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace evenkeel::tool {

namespace {

using nlohmann::json;

std::string value_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text = value.dump();
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  return text;
}

std::uint64_t hash_from(const json& from) {
  return std::stoull(from.get<std::string>(), nullptr, 16);
}

template <std::size_t size>
void read_tallies(const json& from, std::array<Tally, size>& into) {
  if (from.size() > size) throw std::out_of_range("more than there can be");
  std::transform(from.begin(), from.end(), into.begin(), tally_of);
}

Counterfactual counterfactual_of(const json& from) {
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

}  // namespace

State state_of(const json& from) {
  std::string text;
  for (const auto& [key, value] : from.items())
    text.append(key).append(" = ").append(value_text(value)).append("\n");
  return state_from_text(text, "its state");
}

Tally tally_of(const json& from) { return {from.at(0), from.at(1), from.at(2)}; }

Totals totals_of(const json& from) {
  Totals totals;
  from.at("step_least").get_to(totals.step_least);
  from.at("step_greatest").get_to(totals.step_greatest);
  from.at("generation_least").get_to(totals.generation_least);
  from.at("generation_greatest").get_to(totals.generation_greatest);
  totals.names_least = hash_from(from.at("names_least"));
  totals.names_greatest = hash_from(from.at("names_greatest"));
  from.at("ranks").get_to(totals.ranks);
  from.at("unfit").get_to(totals.unfit);
  from.at("steps").get_to(totals.steps);
  totals.load = tally_of(from.at("load"));
  totals.duration = tally_of(from.at("duration"));
  totals.objects = tally_of(from.at("objects"));
  from.at("cost").get_to(totals.cost);
  from.at("rebuild").get_to(totals.rebuild);
  from.at("extra").get_to(totals.extra);
  from.at("bytes").get_to(totals.bytes);
  from.at("command").get_to(totals.command);
  from.at("survey").get_to(totals.survey);
  from.at("unit").get_to(totals.unit);
  from.at("spread").get_to(totals.spread);
  from.at("variance").get_to(totals.variance);
  read_tallies(from.at("phases"), totals.phases);
  from.at("all_steps").get_to(totals.all_steps);
  from.at("all_load").get_to(totals.all_load);
  from.at("slots").get_to(totals.slots);
  from.at("other_slots").get_to(totals.other_slots);
  totals.would_be = counterfactual_of(from.at("would_be"));
  if (from.at("kernels").is_null()) return totals;
  std::array<Tally, Totals::named_kernels> named{};
  read_tallies(from.at("kernels"), named);
  std::copy(named.begin(), named.end(), totals.kernels.begin());
  totals.kernels[Totals::other] = tally_of(from.at("other"));
  return totals;
}

}  // namespace evenkeel::tool
