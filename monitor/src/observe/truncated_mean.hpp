#pragma once

// A mean on which a few disturbed values have little effect: it leaves out the least eighth and the
// greatest eighth of the values.

#include <evenkeel/backends/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace evenkeel {

// The number of values that a truncated mean leaves out at each end: an eighth of all values,
// rounded. If there are three or more values, it is at least 1; if there are fewer, it is 0.
constexpr std::size_t truncated_at_each_end(std::size_t count) noexcept {
  if (count < 3) return 0;
  return count < 12 ? 1 : (count + 4) / 8;
}

EVENKEEL_API std::int64_t sum_of(std::span<const std::int64_t> values);

// The number of values times their 25 % truncated mean; 0 without values.
EVENKEEL_API std::int64_t truncated_sum(std::span<const std::int64_t> values);

// The variance of truncated_sum(), estimated from the scatter of the values (Tukey and McLaughlin
// 1963: a value that is left out is replaced by the nearest value that is kept). It is 0 for fewer
// than two values.
EVENKEEL_API double truncated_sum_variance(std::span<const std::int64_t> values);

}  // namespace evenkeel
