#pragma once

// A cloud of objects along a curve, of which none exists: only how many lie in each stretch of the
// curve is known. So a rank of a million can be asked what a histogram over all ranks contains.

#include <cstdint>
#include <vector>

namespace evenkeel::scale {

// A stretch of 2^width keys, aligned to its length, and the objects in it.
struct CloudStretch {
  std::uint64_t first = 0;
  int width = 0;
  std::int64_t objects = 0;
};

// Each stretch gives its lower half a share of its objects that depends on a hash of its place:
// anything from 1/2 - crowding to 1/2 + crowding. Without crowding objects lie evenly. With it they
// crowd on all scales. `phase` from 0 to 1 turns one cloud slowly into another, and back at 1.
class Cloud {
 public:
  static constexpr int bits = 63;  // of a key, as in three dimensions

  Cloud(std::int64_t objects, double crowding, double phase = 0)
      : objects_(objects), crowding_(crowding), phase_(phase) {}

  std::int64_t objects() const noexcept { return objects_; }
  CloudStretch whole() const noexcept { return {0, bits, objects_}; }

  // Both halves of a stretch of at least two keys.
  CloudStretch lower_half(const CloudStretch& of) const noexcept;
  CloudStretch upper_half(const CloudStretch& of) const noexcept;

  // The objects in each of the 2^split equal pieces of a stretch.
  void divide(const CloudStretch& stretch, int split, std::int64_t* objects) const noexcept;
  std::int64_t objects_before(std::uint64_t key) const noexcept;

  // The keys of all objects in a stretch, in order: for clouds that are small enough.
  void write_keys(const CloudStretch& stretch, std::vector<std::uint64_t>& keys) const;

 private:
  std::int64_t objects_;
  double crowding_, phase_;
};

}  // namespace evenkeel::scale
