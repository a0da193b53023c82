#pragma once

// What a survey learns of objects in memory that a device works on. Their order is not looked at:
// a cut there costs no more without one.

#include "units.hpp"

#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace evenkeel {

namespace cut_on_device {

struct KeyOf {
  const CurveKey* keys;
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t object) const { return keys[object].value; }
};

// Doubles that are not negative are ordered as their bits are. -0 is 0.
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

// A set that is not empty.
template <class Instance>
void add_on_device(Survey& found, const Instance& instance, const WeightedKeys& set) {
  const std::int64_t count = std::ssize(set.keys);
  const auto keys =
      exec::extremes<std::uint64_t>(instance, count, cut_on_device::KeyOf{set.keys.data()});
  found.least_key = std::min(found.least_key, keys.least);
  found.greatest_key = std::max(found.greatest_key, keys.greatest);
  found.falls += count;
  if (set.weights.empty()) {
    found.heaviest = std::max(found.heaviest, 1.0);
    return;
  }
  const auto bits =
      exec::extremes<std::int64_t>(instance, count, cut_on_device::BitsOf{set.weights.data()});
  if (bits.least < 0 || bits.greatest >= bits_of_infinity) refuse_weight();
  found.heaviest = std::max(found.heaviest, std::bit_cast<double>(bits.greatest));
}

}  // namespace evenkeel
