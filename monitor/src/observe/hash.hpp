#pragma once

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv, with two changes. A number is added as a
// whole, with the same result on any machine. Then the upper half of the hash, in which the product
// gathers differences, is folded into the lower half. Adding a number maps hashes one to one, so
// inputs that differ in one number have different hashes.

#include <bit>
#include <cstdint>
#include <string_view>

namespace evenkeel::detail {

class Hash {
 public:
  Hash& add_byte(unsigned char byte) noexcept {
    value_ = (value_ ^ byte) * prime;
    return *this;
  }
  Hash& add(std::int64_t number) noexcept {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * prime;
    value_ ^= value_ >> 32U;
    return *this;
  }
  Hash& add(double number) noexcept {
    const double normal = number == 0 ? 0 : number;  // -0.0 equals 0.0
    return add(std::bit_cast<std::int64_t>(normal));
  }
  Hash& add(std::string_view text) noexcept {
    for (const char character : text) add_byte(static_cast<unsigned char>(character));
    return *this;
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3U;
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace evenkeel::detail
