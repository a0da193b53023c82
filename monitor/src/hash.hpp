#pragma once

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv. Numbers go in as eight bytes, the lowest
// first, on any machine.

#include <bit>
#include <cstdint>
#include <string_view>

namespace evenkeel::detail {

class Hash {
 public:
  Hash& add_byte(unsigned char byte) noexcept {
    value_ = (value_ ^ byte) * 0x100000001b3U;
    return *this;
  }
  Hash& add(std::int64_t number) noexcept {
    const auto bits = static_cast<std::uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<unsigned char>(bits >> shift & 0xFFU));
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
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace evenkeel::detail
