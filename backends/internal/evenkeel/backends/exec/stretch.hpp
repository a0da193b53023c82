#pragma once

// How things that lie side by side are divided into stretches.

#include <cstdint>

namespace evenkeel {

// The first object of a stretch, of so many that objects are divided into as evenly as possible.
// Every `n`-th of `n * k` stretches begins where one of `k` begins.
constexpr std::int64_t stretch_begin(std::int64_t stretch, std::int64_t stretches,
                                     std::int64_t objects) noexcept {
  // Without a product that overflows.
  return stretch * (objects / stretches) + stretch * (objects % stretches) / stretches;
}

}  // namespace evenkeel
