#pragma once

// The targets of shifted offsets, in whole units of load. extras/string.hpp derives them.

#include <evenkeel/backends/error.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace evenkeel {

// The share of the first `part` parts in a total.
inline std::int64_t share_before(std::int64_t part, std::int64_t parts, std::int64_t total) {
  return part * (total / parts) + part * (total % parts) / parts;
}

// The target t of an offset that has `before` units before it, and should have `share`.
inline std::int64_t shifted_target(std::int64_t before, std::int64_t share, double penalty) {
  return before - std::llround(static_cast<double>(before - share) / penalty);
}

// Throws an Error for a penalty that is below 1 or not finite.
inline void require_penalty(double penalty) {
  if (!std::isfinite(penalty) || penalty < 1)
    Refusal{"core/cut"}("The penalty of a shift is " + std::to_string(penalty) + '.',
                        "Give 1, or more to shift less far.");
}

}  // namespace evenkeel
