#pragma once

// Bits of keys: those in which keys differ, and digits. A digit is a few adjacent bits.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace evenkeel::exec::host_sort {

constexpr int digit_bits = 11;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;

// The bits [low, high) of a key. There are at most digit_bits of them.
template <class Key>
struct Digit {
  int shift;
  Key mask;

  Digit(int low, int high)
      : shift(low), mask(static_cast<Key>((std::uint64_t{1} << (high - low)) - 1)) {}
  std::size_t of(Key key) const { return static_cast<std::size_t>((key >> shift) & mask); }
  std::size_t values() const { return static_cast<std::size_t>(mask) + 1; }
};

// std::bit_width as an int: in some libraries it returns T.
template <class T>
int width_of(T bits) {
  return static_cast<int>(std::bit_width(bits));
}

// Returns the bits of `mask` in which any of the keys differs from `first`.
template <class Key>
Key differing_bits(const Key* keys, std::int64_t begin, std::int64_t end, Key first, Key mask) {
  Key differing = 0;
  for (std::int64_t i = begin; i < end; ++i)
    differing = static_cast<Key>(differing | (keys[i] ^ first));
  return static_cast<Key>(differing & mask);
}

}  // namespace evenkeel::exec::host_sort
