#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel::detail {

// Of the first `known` numbers, or all; 0 without any.
template <std::size_t size>
double median(const std::array<double, size>& numbers, std::int64_t known) noexcept {
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(known, 0, static_cast<std::int64_t>(size)));
  if (count == 0) return 0;
  std::array<double, size> sorted = numbers;
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
  const double lower = sorted[(count - 1) / 2], upper = sorted[count / 2];
  return lower + (upper - lower) / 2;
}

}  // namespace evenkeel::detail
