#pragma once

// A fast test, for kernels, of a box that contains most objects.

#include "field/places.hpp"

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/field.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace evenkeel {

// Tests quickly whether objects are surely inside a box, which contains its lower faces, but not
// its upper faces. On hosts it tests several objects at once.
template <class Real, int n>
struct QuickBox {
  static constexpr int together = 16, length = n * together;
  double lower[n], upper[n];
  // The lower faces, and the last places below the upper faces. They are repeated for `together`
  // objects, in the order in which packed coordinates are stored.
  double lowest[length], highest[length];
  bool is_packed;  // true if coordinates are adjacent doubles

  QuickBox(const Box& box, const FieldLayout& at)
      : is_packed(std::is_same_v<Real, double> && at.is_packed() && at.components == n) {
    for (int axis = 0; axis < n; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      lower[axis] = box.lower[d];
      upper[axis] = box.upper[d];
      const double last = std::nextafter(box.upper[d], -std::numeric_limits<double>::infinity());
      for (int k = 0; k < together; ++k) {
        lowest[k * n + axis] = box.lower[d];
        highest[k * n + axis] = last;
      }
    }
  }

  KOKKOS_FUNCTION bool contains(const Places<Real>& places, std::int64_t i) const {
    bool inside = true;
    for (int axis = 0; axis < n; ++axis) {
      const double place = places.at(i, axis);
      inside = inside & (place >= lower[axis]) & (place < upper[axis]);
    }
    return inside;
  }

  // If this returns true, the `together` objects from `first` on are all inside. If it returns
  // false, they may still be inside. It tests the signs of differences, and finds numbers that are
  // not finite by their exponents, because compilers turn such a loop into vector instructions.
  bool contains_all(const Places<Real>& places, std::int64_t first) const {
    if (!is_packed) return false;
    constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> 1, least = std::uint64_t{1} << 52;
    const auto* const place =
        reinterpret_cast<const double*>(places.data + first * places.object_stride_bytes);
    std::uint64_t outside = 0;
    for (int k = 0; k < length; ++k) {
      const double above = place[k] - lowest[k], below = highest[k] - place[k];
      outside |= std::bit_cast<std::uint64_t>(above) | std::bit_cast<std::uint64_t>(below) |
                 ((std::bit_cast<std::uint64_t>(place[k]) & magnitude) + least);
    }
    return outside >> 63 == 0;
  }

  // Returns a word in which bit k is set if object first + k is a suspect. An object in the box is
  // never a suspect.
  template <class IsSuspect>
  std::uint64_t word(const Places<Real>& places, std::int64_t first, int count,
                     const IsSuspect& is_suspect) const {
    std::uint64_t word = 0;
    for (int begin = 0; begin < count; begin += together) {
      const int end = std::min(count, begin + together);
      if (end - begin == together && contains_all(places, first + begin)) continue;
      for (int k = begin; k < end; ++k)
        word |= static_cast<std::uint64_t>(is_suspect(first + k) ? 1 : 0) << k;
    }
    return word;
  }
};

// Calls use(places, box) with types that fit the positions: float or double, in 2 or 3 dimensions.
template <class Use>
auto with_quick_box(const Box& box, const FieldLayout& at, const Use& use) {
  const auto as = [&]<class Real, int n>(std::integral_constant<int, n>,
                                         const Places<Real>& places) {
    return use(places, QuickBox<Real, n>(box, at));
  };
  return with_places(at, [&](const auto& places) {
    return at.components == 3 ? as(std::integral_constant<int, 3>(), places)
                              : as(std::integral_constant<int, 2>(), places);
  });
}

}  // namespace evenkeel
