#include "options/values.hpp"

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

std::string print(bool on) { return on ? "on" : "off"; }

bool parse(std::string_view text, bool& on) {
  constexpr std::array<std::string_view, 4> yes = {"on", "true", "yes", "1"};
  constexpr std::array<std::string_view, 4> no = {"off", "false", "no", "0"};
  on = std::ranges::find(yes, text) != yes.end();
  return on || std::ranges::find(no, text) != no.end();
}

std::string print(const std::string& path) { return path.empty() ? "none" : path; }

bool parse(std::string_view text, std::string& path) {
  path = text == "none" ? "" : text;
  return true;
}

}  // namespace evenkeel::detail
