#include "replay/from_json.hpp"

#include "tell/totals_members.hpp"

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

// Reads the same list of members from which the journal is written.
struct ReadMembers {
  const json& from;

  void operator()(const char* key, std::int64_t& number) const { from.at(key).get_to(number); }
  void operator()(const char* key, std::uint64_t& hash) const { hash = hash_from(from.at(key)); }
  void operator()(const char* key, Tally& tally) const { tally = tally_of(from.at(key)); }
  template <std::size_t count>
  void operator()(const char* key, std::array<std::int64_t, count>& numbers) const {
    from.at(key).get_to(numbers);
  }
  void operator()(const char* key, std::array<Tally, kernel_phases>& phases) const {
    read_tallies(from.at(key), phases);
  }
  // The kernels are null where ranks did not agree on their names.
  void operator()(const char* key, std::array<Tally, Totals::named_kernels + 1>& kernels) const {
    if (from.at(key).is_null()) return;
    std::array<Tally, Totals::named_kernels> named{};
    read_tallies(from.at(key), named);
    std::copy(named.begin(), named.end(), kernels.begin());
    kernels[Totals::other] = tally_of(from.at("other"));
  }
  void operator()(const char* key, Counterfactual& would_be) const {
    detail::for_each_member(would_be, ReadMembers{from.at(key)});
  }
};

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
  detail::for_each_member(totals, ReadMembers{from});
  return totals;
}

}  // namespace evenkeel::tool
