#include "files/numbers.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <locale>
#include <system_error>

namespace evenkeel::tool {

namespace {

// True if a nonzero number is too small for a double and was read as 0. Some libraries report such
// a number as out of range, others do not.
bool has_vanished(double number, const char* begin, const char* end) {
  if (number != 0) return false;
  const char* exponent = std::find_if(begin, end, [](char c) { return c == 'e' || c == 'E'; });
  return std::any_of(begin, exponent, [](char c) { return is_digit(c) && c != '0'; });
}

}  // namespace

std::from_chars_result read_number(const char* at, const char* end, double& number) {
  const bool has_plus = end - at > 1 && *at == '+' && *(at + 1) != '-';
  auto result = std::from_chars(has_plus ? at + 1 : at, end, number);
  if (result.ec == std::errc() && has_vanished(number, at, result.ptr))
    result.ec = std::errc::result_out_of_range;
  return result;
}

std::ostringstream report_stream(int digits) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(digits);
  return text;
}

std::string rounded(double number, int digits) {
  std::ostringstream text = report_stream(digits);
  text << number;
  return text.str();
}

std::string problem_with_count(std::string_view word) {
  const std::string text = in_quotes(word);
  const bool negative = word.starts_with('-');
  const std::string_view digits = negative ? word.substr(1) : word;
  if (digits.empty() || !std::ranges::all_of(digits, is_digit))
    return joined({" is ", text, ", which is not a whole number."});
  if (negative) return joined({" is ", text, ", which is negative."});
  return joined({" is ", text, ", which does not fit in 63 bits."});
}

}  // namespace evenkeel::tool
