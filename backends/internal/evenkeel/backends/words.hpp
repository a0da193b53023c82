#pragma once

// Turns numbers and enumerators into words for sentences.

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <string>

namespace evenkeel::detail {

EVENKEEL_API std::string fixed(double number, int decimals);

// A time in a fitting unit, such as "12.34 ms".
EVENKEEL_API std::string seconds_of(double nanoseconds);

// A number with commas: 12345678 is "12,345,678".
EVENKEEL_API std::string count_of(std::int64_t number);

// Text to put after a number of rebalances, such as ", and 2 that changed nothing". It is empty for
// 0.
EVENKEEL_API std::string and_unchanged(std::int64_t rebalances);

// Bytes in a fitting unit, such as "3.2 MB".
EVENKEEL_API std::string bytes_of(std::int64_t bytes);

// The name of an enumerator; `names` is an array in the order of the enumerators.
template <class Names, class Value>
constexpr typename Names::value_type name_among(const Names& names, Value value) noexcept {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names[place] : "unknown";
}

}  // namespace evenkeel::detail
