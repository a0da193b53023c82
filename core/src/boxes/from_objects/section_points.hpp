#pragma once

// The objects of this rank that Sections divides: their keys in the present level, and the groups
// of earlier divisions that note() has kept.

#include "boxes/from_objects/section_keys.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/order.hpp>

namespace evenkeel {

class SectionPoints {
 public:
  // Local; may throw. Refers to the points.
  SectionPoints(std::span<const WeightedPoints> points, const BoxCutOptions& options,
                int dimensions, std::int64_t most_pieces);

  int bits() const noexcept { return bits_; }  // number of bits of a mark
  const std::array<GridAxis, 3>& axes() const noexcept { return axes_; }
  std::span<const WeightedKeys> keyed() const noexcept { return keyed_; }

  // Writes the keys of the next level.
  void write_keys(const SectionGroups& groups);
  // Stores the group of each object, one of `count` groups, in slot 0, 1 or 2. May throw.
  void note(int slot, const SectionGroups& groups, std::int64_t count);
  // Writes as the key of each object the sum over slots of number[slot][g], where g is the group
  // that is stored in the slot. Slots whose list is empty are left out.
  void write_sums(const std::array<std::vector<std::uint64_t>, 3>& number);

 private:
  std::span<const WeightedPoints> points_;
  int bits_;
  std::array<GridAxis, 3> axes_;
  std::vector<Buffer> keys_;
  std::vector<WeightedKeys> keyed_;
  std::array<std::vector<GroupNotes>, 3> noted_;  // an entry is empty if its slot was never used
};

}  // namespace evenkeel
