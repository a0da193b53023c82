#pragma once

// A cloud of imaginary objects along a curve: only the number of objects in each stretch of the
// curve is known. So one process can compute a histogram over a million ranks.

#include <evenkeel/core/order.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace evenkeel::scale {

// A stretch of 2^width keys, aligned to its length, and the objects in it.
struct CloudStretch {
  std::uint64_t first = 0;
  int width = 0;
  std::int64_t objects = 0;
};

// The lower half of a stretch gets a share of its objects from 1/2 - crowding to 1/2 + crowding.
// The share depends on a hash of the place of the stretch. Without crowding, objects are evenly
// spread; with it, they crowd on all scales. As `phase` grows from 0 to 1, the cloud turns slowly
// into others, and back into the first.
class Cloud {
 public:
  static constexpr int bits = 63;  // of a key, as in three dimensions

  Cloud(std::int64_t objects, double crowding, double phase = 0)
      : objects_(objects), crowding_(crowding), phase_(phase) {}

  std::int64_t objects() const noexcept { return objects_; }
  CloudStretch whole() const noexcept { return {0, bits, objects_}; }

  // The lower and the upper half of a stretch of at least two keys.
  std::array<CloudStretch, 2> halves_of(const CloudStretch& stretch) const noexcept;

  // The objects in each of the 2^split equal pieces of a stretch.
  void divide(const CloudStretch& stretch, int split, std::int64_t* objects) const noexcept;
  std::int64_t objects_before(std::uint64_t key) const noexcept;

  // Appends the keys of all objects in a stretch, in order. Use this only for small clouds.
  void write_keys(const CloudStretch& stretch, std::vector<std::uint64_t>& keys) const;

 private:
  std::int64_t objects_;
  double crowding_, phase_;
};

}  // namespace evenkeel::scale
