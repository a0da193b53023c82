#pragma once

// Divides adjacent objects into stretches.

#include <cstdint>

namespace evenkeel {

// Returns the first object of a stretch, if objects are divided into `stretches` as evenly as
// possible. Stretch n * i of n * k stretches begins at the same object as stretch i of k.
constexpr std::int64_t stretch_begin(std::int64_t stretch, std::int64_t stretches,
                                     std::int64_t objects) noexcept {
  // Avoids a product that overflows.
  return stretch * (objects / stretches) + stretch * (objects % stretches) / stretches;
}

}  // namespace evenkeel
