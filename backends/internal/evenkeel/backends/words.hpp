#pragma once

// Turns numbers and enumerators into words for sentences.

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <string>

namespace evenkeel::detail {

EVENKEEL_API std::string fixed(double number, int decimals);

// "12.34 ms": times of runs differ by many orders of magnitude.
EVENKEEL_API std::string seconds_of(double nanoseconds);

// "12345678" as "12,345,678".
EVENKEEL_API std::string count_of(std::int64_t number);

// Text to put after a number of rebalances: ", and 2 that changed nothing"; empty for 0.
EVENKEEL_API std::string and_unchanged(std::int64_t rebalances);

// "3.2 MB".
EVENKEEL_API std::string bytes_of(std::int64_t bytes);

// The name of an enumerator; `names` is an array in the order of the enumerators.
template <class Names, class Value>
constexpr typename Names::value_type name_among(const Names& names, Value value) noexcept {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names[place] : "unknown";
}

}  // namespace evenkeel::detail
