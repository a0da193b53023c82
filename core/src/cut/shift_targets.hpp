#pragma once

// The targets of shifted offsets, in integer units of load. extras/string.hpp derives the formula.

#include <evenkeel/backends/error.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace evenkeel {

// Returns the part of `total` that the first `part` of `parts` equal parts have together.
inline std::int64_t share_before(std::int64_t part, std::int64_t parts, std::int64_t total) {
  return part * (total / parts) + part * (total % parts) / parts;
}

// Returns the target of an offset that has `before` units before it, and should have `share` units.
inline std::int64_t shifted_target(std::int64_t before, std::int64_t share, double penalty) {
  return before - std::llround(static_cast<double>(before - share) / penalty);
}

// Throws an Error if a penalty is below 1 or not finite.
inline void require_penalty(double penalty) {
  if (!std::isfinite(penalty) || penalty < 1)
    Refusal{"core/cut"}("The penalty of a shift is " + std::to_string(penalty) + '.',
                        "Give 1 or more; a greater penalty shifts less far.");
}

}  // namespace evenkeel
