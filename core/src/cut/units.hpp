#pragma once

// Weights as integers. Sums of integers are exact, so they do not depend on the order in which
// ranks and threads add them up. Extras use the exported functions.

#include <evenkeel/core/cut.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <limits>

namespace evenkeel {

// The census of objects before a cut: first of one rank, then of all.
struct Census {
  std::int64_t objects = 0;
  double heaviest = 0;
  std::uint64_t least_key = std::numeric_limits<std::uint64_t>::max(), greatest_key = 0;
  std::int64_t falls = 0;               // keys that are below the one before
  std::int64_t ranks_out_of_order = 0;  // on which a key falls, or which have several sets
  std::int64_t ranks_on_device = 0;     // with objects in memory that a device works on
  bool weightless() const noexcept { return !(heaviest > 0); }
};

EVENKEEL_API void combine(Census& into, const Census& from) noexcept;

// The bits of non-negative doubles have the same order as the doubles. NaN and infinity are above
// all others, and negative numbers are below.
inline constexpr auto bits_of_infinity =
    std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
[[noreturn]] void refuse_weight();

// Throws an Error if the sum of these weights is more than a number can hold. If the weights are
// the same on all ranks, so is the Error.
EVENKEEL_API void require_finite_sum(std::span<const double> weights);

// The memory of all sets with objects, or host memory if no set has objects. Throws an Error if
// sets are in different kinds of memory.
MemoryKind memory_of(std::span<const WeightedKeys> sets);

// Finds only the number of objects and the heaviest weight. Throws an Error for weights that are
// not valid. Local.
Census census_of_weights(std::span<const WeightedKeys> sets);
EVENKEEL_API Census census_of_weights(std::span<const double> weights, MemoryKind memory);
// The whole census. Throws an Error for weights and keys that are not valid. Local.
EVENKEEL_API Census census(std::span<const WeightedKeys> sets, int dimensions);

// The unit is a power of two, chosen so that the sum of all weights stays below 2^62.
class EVENKEEL_API Units {
 public:
  Units() = default;
  explicit Units(const Census& all);

  KOKKOS_FUNCTION std::int64_t of(double weight) const noexcept {
    constexpr double whole = 0x1p52;  // from here on every double is an integer
    const double units = weight * first_factor_ * second_factor_;
    return static_cast<std::int64_t>(units < whole ? units + 0.5 : units);
  }
  // The weight of an object that came without one.
  KOKKOS_FUNCTION std::int64_t one() const noexcept { return one_; }
  // True when all given weights are 0; then they are ignored.
  bool weightless() const noexcept { return weightless_; }

  double weight_of(std::int64_t units) const noexcept;

 private:
  int exponent_ = 0;
  double first_factor_ = 1, second_factor_ = 1;  // together 2^exponent, which may overflow
  std::int64_t one_ = 1;
  bool weightless_ = false;
};

}  // namespace evenkeel
