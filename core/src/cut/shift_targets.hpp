#pragma once

// Where shifted offsets are sought, in whole units of load. See core/cut/shift.hpp.

#include <cmath>
#include <cstdint>

namespace evenkeel {

// The share of the first `part` parts in a total.
inline std::int64_t share_before(std::int64_t part, std::int64_t parts, std::int64_t total) {
  return part * (total / parts) + part * (total % parts) / parts;
}

// t of an offset with `before` units before it, of which `share` are due to it.
inline std::int64_t shifted_target(std::int64_t before, std::int64_t share, double penalty) {
  return before - std::llround(static_cast<double>(before - share) / penalty);
}

// Throws an Error for a penalty that is below 1 or not finite.
void require_penalty(double penalty);

}  // namespace evenkeel
