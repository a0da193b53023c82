#pragma once

// Sorts indices by integer keys. The sort is stable, so equal keys stay in the order of the input
// with every standard library. It takes linear time.

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace evenkeel::assigning {

// Returns the indices of `keys` in ascending order of their keys.
inline std::vector<int> sorted_by(std::vector<std::uint64_t> keys) {
  constexpr int digit = 11;
  std::vector<int> order(keys.size()), next(keys.size());
  std::vector<std::uint64_t> next_keys(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t used = 0;
  for (const std::uint64_t key : keys) used |= key;
  for (int shift = 0; shift < 64 && (used >> shift) != 0; shift += digit) {
    std::array<std::uint32_t, (1 << digit) + 1> starts{};
    const auto bucket = [&](std::uint64_t key) { return (key >> shift) & ((1 << digit) - 1); };
    for (const std::uint64_t key : keys) ++starts[bucket(key) + 1];
    for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::uint32_t to = starts[bucket(keys[k])]++;
      next[to] = order[k];
      next_keys[to] = keys[k];
    }
    std::swap(order, next);
    std::swap(keys, next_keys);
  }
  return order;
}

}  // namespace evenkeel::assigning
