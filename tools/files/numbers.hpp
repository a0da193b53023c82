#pragma once

// Reads and writes numbers in text, independently of the locale.

#include <charconv>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

namespace evenkeel::tool {

inline bool is_digit(char character) { return character >= '0' && character <= '9'; }

// Reads the real number at the start of [at, end) as the nearest double. Accepts one '+', which
// std::from_chars does not. A number that is too small for a double is out of range.
std::from_chars_result read_number(const char* at, const char* end, double& number);

// The digits at the start of [at, end). `end` is `at` if there were no digits. `number` is negative
// if the digits do not fit in 63 bits.
struct Digits {
  const char* end;
  std::int64_t number;
};
inline Digits read_digits(const char* at, const char* end) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t number = 0;
  for (; at != end && is_digit(*at); ++at) {
    const std::int64_t digit = *at - '0';
    const bool fits = number >= 0 && (number < most / 10 || (number == most / 10 && digit <= 7));
    number = fits ? number * 10 + digit : -1;
  }
  return {at, number};
}

// A stream for a report. Its numbers have at most this many digits.
std::ostringstream report_stream(int digits = 6);
std::string rounded(double number, int digits);

// For messages: the problem of a word that should be a whole number from 0 on, such as " is '-3',
// which is negative.".
std::string problem_with_count(std::string_view word);

}  // namespace evenkeel::tool
