#pragma once

// Choices follow from a number alone, so all ranks make the same choices.

#include "core/migrate/cloud.hpp"

namespace evenkeel::test {

class Dice {
 public:
  explicit Dice(std::int64_t seed) : seed_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(mix(seed_, ++throws_) % static_cast<std::uint64_t>(end));
  }
  int below(int end) { return static_cast<int>(below(std::int64_t{end})); }
  bool once_in(int times) { return below(times) == 0; }
  template <class T, std::size_t n>
  const T& one_of(const T (&choices)[n]) {
    return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(n)))];
  }

 private:
  std::int64_t seed_;
  int throws_ = 0;
};

// Draws from 0 up to 1, exclusive.
inline double share_of(std::int64_t id, int salt) {
  return static_cast<double>(mix(id, salt) >> 11U) * 0x1p-53;
}

}  // namespace evenkeel::test
