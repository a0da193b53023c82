#include "cut/units.hpp"
#include "cut/stage.hpp"

#include "cut/device_census.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/launch.hpp>

#include <cmath>
#include <numeric>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* units_label = "evenkeel::cut::census";

// Divides `count` objects among the host's threads. Each thread calls look(begin, end) for its
// share, and join() combines the results. If there are few objects, there is only one share.
template <class Found, class Look, class Join>
Found found_in_shares(std::int64_t count, const Look& look, const Join& join) {
  constexpr std::int64_t worth_a_thread = 16'384;  // number of objects
  const std::int64_t shares =
      std::clamp<std::int64_t>(count / worth_a_thread, 1, exec::host_threads());
  std::vector<Found> found(static_cast<std::size_t>(shares));
  exec::for_each_on_host(units_label, shares, [&](std::int64_t share) {
    const auto [begin, end] = exec::share_of(count, shares, share);
    found[static_cast<std::size_t>(share)] = look(begin, end);
  });
  for (std::size_t share = 1; share < found.size(); ++share) join(found[0], found[share]);
  return found[0];
}

struct BitsFound {
  std::int64_t least = 0, greatest = 0;
};

double heaviest_on_host(std::span<const double> weights) {
  const auto [least, greatest] = found_in_shares<BitsFound>(
      std::ssize(weights),
      [&](std::int64_t begin, std::int64_t end) {
        BitsFound found;
        for (std::int64_t i = begin; i < end; ++i) {
          const auto bits = std::bit_cast<std::int64_t>(weights[static_cast<std::size_t>(i)]);
          found.least = std::min(found.least, bits);
          found.greatest = std::max(found.greatest, bits);
        }
        return found;
      },
      [](BitsFound& into, const BitsFound& from) {
        into.least = std::min(into.least, from.least);
        into.greatest = std::max(into.greatest, from.greatest);
      });
  constexpr std::int64_t minus_zero = std::numeric_limits<std::int64_t>::min();
  if (greatest >= bits_of_infinity || (least < 0 && least != minus_zero) ||
      (least == minus_zero &&
       std::any_of(weights.begin(), weights.end(), [](double weight) { return weight < 0; })))
    refuse_weight();
  return std::bit_cast<double>(greatest);
}

// Finds the least and the greatest key, and how often keys fall. First tests if keys are sorted;
// each thread ends this test at the first key that falls. If keys are sorted, no second pass is
// needed.
bool add_keys(Census& found, std::span<const CurveKey> keys) {
  const auto from = [&](std::int64_t i) { return keys.begin() + i; };
  const auto is_sorted = [&](std::int64_t begin, std::int64_t end) {
    return std::uint8_t{std::is_sorted(from(std::max<std::int64_t>(0, begin - 1)), from(end))};
  };
  const auto both = [](std::uint8_t& into, std::uint8_t other) { into &= other; };
  const bool in_order = found_in_shares<std::uint8_t>(std::ssize(keys), is_sorted, both) != 0;
  Census of_keys;
  if (in_order) {
    of_keys.least_key = keys.front().value;
    of_keys.greatest_key = keys.back().value;
  } else {
    const auto look = [&](std::int64_t begin, std::int64_t end) {
      Census some;
      std::uint64_t before = begin > 0 ? from(begin - 1)->value : 0;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint64_t key = from(i)->value;
        some.least_key = std::min(some.least_key, key);
        some.greatest_key = std::max(some.greatest_key, key);
        some.falls += key < before ? 1 : 0;
        before = key;
      }
      return some;
    };
    of_keys = found_in_shares<Census>(std::ssize(keys), look, &combine);
  }
  combine(found, of_keys);
  return in_order;
}

double heaviest_of(std::span<const double> weights, MemoryKind memory) {
  if constexpr (has_device)
    if (memory != MemoryKind::host) return heaviest_on_device(device_instance(), weights);
  return heaviest_on_host(weights);
}

// Call this only for a set that has objects.
double heaviest_of(const WeightedKeys& set) {
  return set.weights.empty() ? 1 : heaviest_of(set.weights, set.memory);
}

}  // namespace

void refuse_weight() {
  refuse("A weight is negative, NaN or infinite.", "Weights are finite and not negative.");
}

void require_finite_sum(std::span<const double> weights) {
  if (std::isfinite(std::accumulate(weights.begin(), weights.end(), 0.0))) return;
  Refusal{"core/weights"}("The weights add up to more than a number can hold.",
                          "Give smaller ones; only their ratios count.");
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
           "Build evenkeel with a Kokkos that enables a device, or give keys in host memory.");
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
             "Give one weight per key, or no weights.");
    if (set.keys.empty()) continue;
    found.objects += std::ssize(set.keys);
    found.heaviest = std::max(found.heaviest, heaviest_of(set));
  }
  return found;
}

Census census_of_weights(std::span<const double> weights, MemoryKind memory) {
  Census found;
  found.objects = std::ssize(weights);
  if (!weights.empty()) found.heaviest = heaviest_of(weights, memory);
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
    refuse("A key is beyond the end of the curve.", "Make keys with a lattice.");
  found.ranks_out_of_order = in_order && with_objects <= 1 ? 0 : 1;
  return found;
}

Units::Units(const Census& all) : weightless_(all.weightless()) {
  constexpr int bits = 62;
  const auto count_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(all.objects)));
  exponent_ = bits - count_bits - (std::ilogb(weightless_ ? 1.0 : all.heaviest) + 1);
  first_factor_ = std::ldexp(1.0, exponent_ / 2);
  second_factor_ = std::ldexp(1.0, exponent_ - exponent_ / 2);
  // An object that is given without a weight weighs 1. If all weights are below 1, there is no such
  // object.
  one_ = weightless_ || all.heaviest >= 1 ? of(1.0) : 0;
}

double Units::weight_of(std::int64_t units) const noexcept {
  return std::ldexp(static_cast<double>(units), -exponent_);
}

}  // namespace evenkeel
