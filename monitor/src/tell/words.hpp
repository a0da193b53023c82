#pragma once

// How numbers read in sentences.

#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <string>

namespace evenkeel::detail {

EVENKEEL_API std::string fixed(double number, int decimals);

// "12.34 ms": times of runs differ by many orders of magnitude.
EVENKEEL_API std::string seconds_of(double nanoseconds);

// "12345678" as "12,345,678".
EVENKEEL_API std::string count_of(std::int64_t number);

// Behind a number of rebalances: ", and 2 that changed nothing"; nothing for 0.
EVENKEEL_API std::string and_unchanged(std::int64_t rebalances);

// "3.2 MB".
EVENKEEL_API std::string bytes_of(std::int64_t bytes);

}  // namespace evenkeel::detail
