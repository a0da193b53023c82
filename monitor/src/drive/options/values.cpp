#include "drive/options/values.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel::detail {

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string print(double number) { return text_of(number); }

bool parse(std::string_view text, double& number) {
  const auto read = real_from_text(text);
  if (read) number = *read;
  return read.has_value();
}

std::string print(int number) { return std::to_string(number); }

bool parse(std::string_view text, int& number) {
  const auto read = integer_from_text(text);
  if (!read || !std::in_range<int>(*read)) return false;
  number = static_cast<int>(*read);
  return true;
}

std::string print(std::int64_t number) { return std::to_string(number); }

bool parse(std::string_view text, std::int64_t& number) {
  const auto read = integer_from_text(text);
  if (read) number = *read;
  return read.has_value();
}

std::string print(bool on) { return on ? "on" : "off"; }

bool parse(std::string_view text, bool& on) {
  constexpr std::array<std::string_view, 4> yes = {"on", "true", "yes", "1"};
  constexpr std::array<std::string_view, 4> no = {"off", "false", "no", "0"};
  on = std::ranges::find(yes, text) != yes.end();
  return on || std::ranges::find(no, text) != no.end();
}

namespace {

constexpr std::array<std::pair<std::string_view, OnMpiError>, 2> on_mpi_errors = {
    {{"error", OnMpiError::error}, {"abort", OnMpiError::abort}}};

constexpr std::array<std::pair<std::string_view, ClockKind>, 3> clocks = {
    {{"automatic", ClockKind::automatic},
     {"wall", ClockKind::wall},
     {"thread_cpu", ClockKind::thread_cpu}}};

constexpr std::array<std::pair<std::string_view, TypeCosts>, 3> type_costs = {
    {{"robust", TypeCosts::robust},
     {"minimum_norm", TypeCosts::minimum_norm},
     {"off", TypeCosts::off}}};

constexpr std::array<std::pair<std::string_view, LogLevel>, 4> log_levels = {
    {{"off", LogLevel::off},
     {"summary", LogLevel::summary},
     {"decisions", LogLevel::decisions},
     {"looks", LogLevel::looks}}};

template <class Names, class Value>
std::string name_among(const Names& names, Value value) {
  for (const auto& [name, named] : names)
    if (named == value) return std::string(name);
  return "unknown";
}

template <class Names, class Value>
bool find_among(const Names& names, std::string_view text, Value& value) {
  for (const auto& [name, named] : names) {
    if (name != text) continue;
    value = named;
    return true;
  }
  return false;
}

}  // namespace

std::string print(LogLevel level) { return name_among(log_levels, level); }

bool parse(std::string_view text, LogLevel& level) { return find_among(log_levels, text, level); }

std::string print(ClockKind kind) { return name_among(clocks, kind); }
std::string print(TypeCosts how) { return name_among(type_costs, how); }
std::string print(OnMpiError what) { return name_among(on_mpi_errors, what); }

bool parse(std::string_view text, ClockKind& kind) { return find_among(clocks, text, kind); }
bool parse(std::string_view text, TypeCosts& how) { return find_among(type_costs, text, how); }
bool parse(std::string_view text, OnMpiError& what) {
  return find_among(on_mpi_errors, text, what);
}

std::string print(const std::string& path) { return path.empty() ? "none" : path; }

bool parse(std::string_view text, std::string& path) {
  path = text == "none" ? "" : text;
  return true;
}

}  // namespace evenkeel::detail
