#pragma once

// The census of objects in memory that a device works on. It does not examine the order of keys,
// because a cut on a device gains nothing from sorted keys. It counts all keys as falling.

#include "cut/units.hpp"

#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <cstring>

namespace evenkeel {

namespace cut_on_device {

struct KeyOf {
  const CurveKey* keys;
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t object) const { return keys[object].value; }
};

// Returns the bits of a weight. Non-negative doubles are ordered like their bits. -0 counts as 0.
struct BitsOf {
  const double* weights;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t object) const {
    const double weight = weights[object];
    std::int64_t bits = 0;
    memcpy(&bits, &weight, sizeof bits);
    return weight == 0 ? 0 : bits;
  }
};

}  // namespace cut_on_device

// Call this only for sets that have objects.
template <class Instance>
void add_keys_on_device(Census& found, const Instance& instance, std::span<const CurveKey> keys) {
  const std::int64_t count = std::ssize(keys);
  const auto extent =
      exec::extremes<std::uint64_t>(instance, count, cut_on_device::KeyOf{keys.data()});
  found.least_key = std::min(found.least_key, extent.least);
  found.greatest_key = std::max(found.greatest_key, extent.greatest);
  found.falls += count;
}

template <class Instance>
double heaviest_on_device(const Instance& instance, std::span<const double> weights) {
  const auto bits = exec::extremes<std::int64_t>(instance, std::ssize(weights),
                                                 cut_on_device::BitsOf{weights.data()});
  if (bits.least < 0 || bits.greatest >= bits_of_infinity) refuse_weight();
  return std::bit_cast<double>(bits.greatest);
}

}  // namespace evenkeel
