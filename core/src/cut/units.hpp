#pragma once

// Weights as integers. Sums of integers are exact, so they do not depend on the order in which
// ranks and threads add. The exported functions are for the component extras.

#include <evenkeel/core/cut.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <limits>

namespace evenkeel {

// The census of objects before a cut: at first that of one rank, then that of all ranks together.
struct Census {
  std::int64_t objects = 0;
  double heaviest = 0;
  std::uint64_t least_key = std::numeric_limits<std::uint64_t>::max(), greatest_key = 0;
  std::int64_t falls = 0;               // number of keys that are below the previous key
  std::int64_t ranks_out_of_order = 0;  // ranks on which a key falls, or that have several sets
  std::int64_t ranks_on_device = 0;     // ranks that have objects in memory that a device works on
  bool weightless() const noexcept { return !(heaviest > 0); }
};

EVENKEEL_API void combine(Census& into, const Census& from) noexcept;

// Non-negative doubles are ordered like their bits, taken as integers. The bits of infinity and of
// positive NaNs are at or above this number, and those of negative numbers are below 0.
inline constexpr auto bits_of_infinity =
    std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
[[noreturn]] void refuse_weight();

// Throws an Error if the sum of the weights is too large for a double. If the weights are the same
// on all ranks, all ranks throw the same Error.
EVENKEEL_API void require_finite_sum(std::span<const double> weights);

// Returns the kind of memory of all sets that have objects, or host memory if no set has objects.
// Throws an Error if these sets are in different kinds of memory.
MemoryKind memory_of(std::span<const WeightedKeys> sets);

// Local. Finds only the number of objects and the heaviest weight. Throws an Error if a weight is
// not valid.
Census census_of_weights(std::span<const WeightedKeys> sets);
EVENKEEL_API Census census_of_weights(std::span<const double> weights, MemoryKind memory);
// Local. Finds the whole census. Throws an Error if a weight or a key is not valid.
EVENKEEL_API Census census(std::span<const WeightedKeys> sets, int dimensions);

// Converts weights to integers. The unit is a power of two; it is chosen so that the sum of all
// weights is below 2^62 units.
class EVENKEEL_API Units {
 public:
  Units() = default;
  explicit Units(const Census& all);

  KOKKOS_FUNCTION std::int64_t of(double weight) const noexcept {
    constexpr double whole = 0x1p52;  // from here on, every double is an integer
    const double units = weight * first_factor_ * second_factor_;
    return static_cast<std::int64_t>(units < whole ? units + 0.5 : units);
  }
  // Returns the weight, in units, of an object that was given without a weight.
  KOKKOS_FUNCTION std::int64_t one() const noexcept { return one_; }
  // Returns true if all given weights are 0. Then they are ignored, and objects are counted.
  bool weightless() const noexcept { return weightless_; }

  double weight_of(std::int64_t units) const noexcept;

 private:
  int exponent_ = 0;
  // their product is 2^exponent_, which alone may overflow
  double first_factor_ = 1, second_factor_ = 1;
  std::int64_t one_ = 1;
  bool weightless_ = false;
};

}  // namespace evenkeel
