#pragma once

// The scalar types that evenkeel computes with, as run-time values.

#include <evenkeel/backends/config.hpp>

#include <type_traits>

namespace evenkeel {

// The type of one value.
enum class ScalarType : int {
  none,  // bytes of unknown type: moved, never used in arithmetic
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64
};

// The name in messages, and the bytes of one value.
EVENKEEL_API const char* name_of(ScalarType type) noexcept;
EVENKEEL_API int bytes_of(ScalarType type) noexcept;  // 0 for `none`

// Returns the scalar type of T, or `none` if T is not an integer, float or double.
template <class T>
constexpr ScalarType scalar_type_of() {
  if constexpr (std::is_same_v<T, float>) return ScalarType::float32;
  if constexpr (std::is_same_v<T, double>) return ScalarType::float64;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool sign = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1: return sign ? ScalarType::int8 : ScalarType::uint8;
      case 2: return sign ? ScalarType::int16 : ScalarType::uint16;
      case 4: return sign ? ScalarType::int32 : ScalarType::uint32;
      case 8: return sign ? ScalarType::int64 : ScalarType::uint64;
      default: break;
    }
  }
  return ScalarType::none;
}

// A type that evenkeel computes with.
template <class T>
concept Scalar = scalar_type_of<T>()
!= ScalarType::none;

}  // namespace evenkeel
