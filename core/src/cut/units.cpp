#include "units.hpp"

#include "device_census.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace evenkeel {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{"core/cut"}, problem, remedy);
}

double heaviest_on_host(std::span<const double> weights) {
  std::int64_t least = 0, greatest = 0;
  for (const double weight : weights) {
    const auto bits = std::bit_cast<std::int64_t>(weight);
    least = std::min(least, bits);
    greatest = std::max(greatest, bits);
  }
  constexpr std::int64_t minus_zero = std::numeric_limits<std::int64_t>::min();
  if (greatest >= bits_of_infinity || (least < 0 && least != minus_zero) ||
      (least == minus_zero &&
       std::any_of(weights.begin(), weights.end(), [](double weight) { return weight < 0; })))
    refuse_weight();
  return std::bit_cast<double>(greatest);
}

// Finds the least and the greatest key, and whether keys never fall. That test ends at the first
// key that falls; keys that are in order need no second pass.
bool add_keys(Census& found, std::span<const CurveKey> keys) {
  const bool in_order = std::is_sorted(keys.begin(), keys.end());
  std::uint64_t least = keys.front().value, greatest = keys.back().value;
  if (!in_order) {
    std::uint64_t before = 0;
    for (const CurveKey key : keys) {
      least = std::min(least, key.value);
      greatest = std::max(greatest, key.value);
      found.falls += key.value < before ? 1 : 0;
      before = key.value;
    }
  }
  found.least_key = std::min(found.least_key, least);
  found.greatest_key = std::max(found.greatest_key, greatest);
  return in_order;
}

// For a set that is not empty.
double heaviest_of(const WeightedKeys& set) {
  if (set.weights.empty()) return 1;
  if constexpr (has_device)
    if (set.memory != MemoryKind::host) return heaviest_on_device(device_instance(), set.weights);
  return heaviest_on_host(set.weights);
}

}  // namespace

void refuse_weight() {
  refuse("A weight is negative, NaN or infinite.", "Weights are finite and not negative.");
}

MemoryKind memory_of(std::span<const WeightedKeys> sets) {
  const WeightedKeys* first = nullptr;
  for (const WeightedKeys& set : sets) {
    if (set.keys.empty()) continue;
    if (first == nullptr) first = &set;
    if (set.memory != first->memory)
      refuse("Keys in " + std::string(name_of(first->memory)) + " and in " +
                 std::string(name_of(set.memory)) + " memory were given to one cut.",
             "Keep the keys of all sets in one kind of memory.");
  }
  if (!has_device && first != nullptr && first->memory == MemoryKind::device)
    refuse("Keys in device memory were given to a build without a device.",
           "Use a Kokkos with a device, or host memory.");
  return first == nullptr ? MemoryKind::host : first->memory;
}

void combine(Census& into, const Census& from) noexcept {
  into.objects += from.objects;
  into.heaviest = std::max(into.heaviest, from.heaviest);
  into.least_key = std::min(into.least_key, from.least_key);
  into.greatest_key = std::max(into.greatest_key, from.greatest_key);
  into.falls += from.falls;
  into.ranks_out_of_order += from.ranks_out_of_order;
  into.ranks_on_device += from.ranks_on_device;
}

Census census_of_weights(std::span<const WeightedKeys> sets) {
  Census found;
  found.ranks_on_device = memory_of(sets) == MemoryKind::host ? 0 : 1;
  for (const WeightedKeys& set : sets) {
    if (!set.weights.empty() && set.weights.size() != set.keys.size())
      refuse(std::to_string(set.weights.size()) + " weights came with " +
                 std::to_string(set.keys.size()) + " keys.",
             "Give one weight per key, or none.");
    if (set.keys.empty()) continue;
    found.objects += std::ssize(set.keys);
    found.heaviest = std::max(found.heaviest, heaviest_of(set));
  }
  return found;
}

Census census(std::span<const WeightedKeys> sets, int dimensions) {
  Census found = census_of_weights(sets);
  int with_objects = 0;
  bool in_order = true;
  for (const WeightedKeys& set : sets) {
    if (set.keys.empty()) continue;
    ++with_objects;
    if constexpr (has_device)
      if (set.memory != MemoryKind::host) {
        add_keys_on_device(found, device_instance(), set.keys);
        in_order = false;
        continue;
      }
    in_order = add_keys(found, set.keys) && in_order;
  }
  if (found.objects > 0 && !(CurveKey{found.greatest_key} < end_of_curve(dimensions)))
    refuse("A key lies beyond the end of the curve.", "Make keys with a lattice.");
  found.ranks_out_of_order = in_order && with_objects <= 1 ? 0 : 1;
  return found;
}

Units::Units(const Census& all) : weightless_(all.weightless()) {
  constexpr int bits = 62;
  const auto count_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(all.objects)));
  exponent_ = bits - count_bits - (std::ilogb(weightless_ ? 1.0 : all.heaviest) + 1);
  first_factor_ = std::ldexp(1.0, exponent_ / 2);
  second_factor_ = std::ldexp(1.0, exponent_ - exponent_ / 2);
  // If all weights are below 1, every object came with a weight.
  one_ = weightless_ || all.heaviest >= 1 ? of(1.0) : 0;
}

double Units::weight_of(std::int64_t units) const noexcept {
  return std::ldexp(static_cast<double>(units), -exponent_);
}

}  // namespace evenkeel
