#pragma once

// The values of options as text: print(value) returns the text, and parse(text, value) reads it.
// parse returns false for an invalid text.

#include <evenkeel/backends/text.hpp>
#include <evenkeel/backends/words.hpp>
#include <evenkeel/monitor/options.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace evenkeel::detail {

std::string_view trimmed(std::string_view text);

std::string print(double number);
std::string print(bool on);
std::string print(const std::string& path);

bool parse(std::string_view text, double& number);
bool parse(std::string_view text, bool& on);
bool parse(std::string_view text, std::string& path);

template <std::integral Number>
std::string print(Number number) {
  return std::to_string(number);
}
template <std::integral Number>
bool parse(std::string_view text, Number& number) {
  const auto read = integer_from_text(text);
  if (!read || !std::in_range<Number>(*read)) return false;
  number = static_cast<Number>(*read);
  return true;
}

// --- Enumerations: a word for each value, in their order -----------------------------------------

constexpr auto words_of(OnMpiError) { return std::to_array<std::string_view>({"error", "abort"}); }
constexpr auto words_of(ClockKind) {
  return std::to_array<std::string_view>({"automatic", "wall", "thread_cpu"});
}
constexpr auto words_of(TypeCosts) {
  return std::to_array<std::string_view>({"robust", "minimum_norm", "off"});
}
constexpr auto words_of(LogLevel) {
  return std::to_array<std::string_view>({"off", "summary", "decisions", "looks"});
}

template <class Value>
requires std::is_enum_v<Value> std::string print(Value value) {
  return std::string(name_among(words_of(value), value));
}
template <class Value>
requires std::is_enum_v<Value>
bool parse(std::string_view text, Value& value) {
  const auto words = words_of(value);
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) return false;
  value = static_cast<Value>(found - words.begin());
  return true;
}

// --- For the options of placing ------------------------------------------------------------------

std::string print(const Method& method);
std::string print(const std::optional<Box>& box);
std::string print(const std::array<bool, 3>& axes);
std::string print(const std::array<double, 3>& lengths);
std::string print(const std::vector<int>& numbers);
std::string print(const std::vector<double>& numbers);

bool parse(std::string_view text, Method& method);
bool parse(std::string_view text, std::optional<Box>& box);
bool parse(std::string_view text, std::array<bool, 3>& axes);
bool parse(std::string_view text, std::array<double, 3>& lengths);
bool parse(std::string_view text, std::vector<int>& numbers);
bool parse(std::string_view text, std::vector<double>& numbers);

}  // namespace evenkeel::detail
