#pragma once

// Keys of objects for one level of Sections.

#include "box/ruler.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box/axis.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/field.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The ruler and the axis of a group.
struct SectionRuler {
  Ruler ruler;
  int axis;
};

// The division of groups, and the rulers of the resulting groups in the next level. Without
// splitters nothing was divided yet, and all objects are in group 0.
struct SectionGroups {
  int bits;  // in a mark
  std::array<GridAxis, 3> axes;
  std::span<const std::int32_t> first;  // index of each group's first splitter, then their number
  std::span<const CurveKey> splitters;
  std::span<const SectionRuler> rulers;
};

// keys[i] is the key of object i in the previous level, and becomes its key in the next level. The
// keys are in memory that `space` reaches. Blocks.
void write_section_keys(const Space& space, const FieldLayout& position,
                        const SectionGroups& groups, CurveKey* keys);

// The group of each object, in 2 bytes each if there are few enough groups, else in 4.
class GroupNotes {
 public:
  GroupNotes() = default;
  GroupNotes(MemoryKind memory, std::int64_t objects, std::int64_t groups);
  bool are_short() const noexcept { return are_short_; }
  std::byte* data() const noexcept { return notes_.data(); }

 private:
  Buffer notes_;
  bool are_short_ = true;
};

// Notes the group of each object after the division in `groups`, from the object's key in that
// level.
void write_groups(const Space& space, const SectionGroups& groups, std::span<const CurveKey> keys,
                  const GroupNotes& notes);

// keys[i] becomes the sum of number[slot][group of object i in the slot] over all slots that have
// numbers.
void write_sums(const Space& space, std::int64_t count,
                const std::array<const GroupNotes*, 3>& notes,
                const std::array<std::vector<std::uint64_t>, 3>& number, CurveKey* keys);

}  // namespace evenkeel
