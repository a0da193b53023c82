#pragma once

// Numbers in text, whatever the locale.

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace evenkeel::tool {

inline bool is_digit(char character) { return character >= '0' && character <= '9'; }

// Reads the real number at the start of [at, end) as the nearest double. Accepts one '+', which
// std::from_chars does not. A number that is too small for a double is out of range.
std::from_chars_result read_number(const char* at, const char* end, double& number);

// Digits at the start of [at, end). Where `at` is returned there were none, and where `number` is
// negative it does not fit.
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

// What is wrong with a word that should be a whole number from 0 on: " is '-3', which is
// negative.". For messages.
std::string problem_with_count(std::string_view word);

}  // namespace evenkeel::tool
