#pragma once

// Weights as integers. Sums of integers are exact, so they do not depend on the order in which
// ranks and threads add them up.

#include <evenkeel/core/cut.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace evenkeel {

// What one rank, and then all, know of the objects before they are cut.
struct Survey {
  std::int64_t objects = 0;
  double heaviest = 0;
  std::uint64_t least_key = std::numeric_limits<std::uint64_t>::max(), greatest_key = 0;
  std::int64_t falls = 0;               // keys that are below the one before
  std::int64_t ranks_out_of_order = 0;  // where a key falls, or that have several sets
  bool weightless() const noexcept { return !(heaviest > 0); }
};

void combine(Survey& into, const Survey& from) noexcept;

// Doubles that are not negative are ordered as their bits are: NaN and infinity stand above all
// others, and what has a sign below.
inline constexpr auto bits_of_infinity =
    std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
[[noreturn]] void refuse_weight();

// The memory that all sets with objects are in; without objects that of the host. Throws an Error
// for sets in different ones.
MemoryKind memory_of(std::span<const WeightedKeys> sets);

// How many there are and the heaviest. Throws an Error for weights that are none. Local.
Survey survey_weights(std::span<const WeightedKeys> sets);
// All of it. Throws an Error for weights and keys that are none. Local.
Survey survey(std::span<const WeightedKeys> sets, int dimensions);

// The unit is a power of two, so small that the sum of all stays below 2^62.
class Units {
 public:
  Units() = default;
  explicit Units(const Survey& all);

  KOKKOS_FUNCTION std::int64_t of(double weight) const noexcept {
    constexpr double whole = 0x1p52;  // from here on a double is an integer
    const double units = weight * first_factor_ * second_factor_;
    return static_cast<std::int64_t>(units < whole ? units + 0.5 : units);
  }
  // Of an object that came without a weight.
  KOKKOS_FUNCTION std::int64_t one() const noexcept { return one_; }
  // True when the weights that came mean nothing, since all of them are 0.
  bool weightless() const noexcept { return weightless_; }

  double weight_of(std::int64_t units) const noexcept;

 private:
  int exponent_ = 0;
  double first_factor_ = 1, second_factor_ = 1;  // together 2^exponent, which may overflow
  std::int64_t one_ = 1;
  bool weightless_ = false;
};

}  // namespace evenkeel
