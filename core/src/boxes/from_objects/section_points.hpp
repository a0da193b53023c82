#pragma once

// The objects of this rank, as Sections divides them: their keys in the present level, and the
// groups of earlier divisions that were noted.

#include "boxes/from_objects/section_keys.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/order.hpp>

namespace evenkeel {

class SectionPoints {
 public:
  // May fail; local. Refers to the points.
  SectionPoints(std::span<const WeightedPoints> points, const BoxCutOptions& options,
                int dimensions, std::int64_t most_pieces);

  int bits() const noexcept { return bits_; }  // in a mark
  const std::array<GridAxis, 3>& axes() const noexcept { return axes_; }
  std::span<const WeightedKeys> keyed() const noexcept { return keyed_; }

  // The keys of the next level.
  void write_keys(const SectionGroups& groups);
  // Notes in slot 0, 1 or 2 which of `count` groups each object is in. May fail.
  void note(int slot, const SectionGroups& groups, std::int64_t count);
  // Writes as keys the sums of number[slot][group noted in the slot]; empty slots are ignored.
  void write_sums(const std::array<std::vector<std::uint64_t>, 3>& number);

 private:
  std::span<const WeightedPoints> points_;
  int bits_;
  std::array<GridAxis, 3> axes_;
  std::vector<Buffer> keys_;
  std::vector<WeightedKeys> keyed_;
  std::array<std::vector<GroupNotes>, 3> noted_;  // empty if the slot was never used
};

}  // namespace evenkeel
