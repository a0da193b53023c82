#pragma once

// Computes the keys of objects for one level of Sections.

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

// The axis along which a group is divided, and the ruler that measures along this axis.
struct SectionRuler {
  Ruler ruler;
  int axis;
};

// Says how the groups of one level are divided, and has the rulers of the resulting groups. If
// `splitters` is empty, nothing is divided yet, and all objects are in group 0.
struct SectionGroups {
  int bits;  // number of bits of a mark
  std::array<GridAxis, 3> axes;
  // index of each group's first splitter, then the number of splitters
  std::span<const std::int32_t> first;
  std::span<const CurveKey> splitters;
  std::span<const SectionRuler> rulers;
};

// keys[i] must be the key of object i in the previous level; it is replaced by the key in the next
// level. The keys are in memory that `space` can access. Blocks.
void write_section_keys(const Space& space, const FieldLayout& position,
                        const SectionGroups& groups, CurveKey* keys);

// Notes the group of each object, in 2 bytes if there are few groups, and otherwise in 4.
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

// Notes the group that each object has after the division in `groups`. `keys` has the keys of that
// level.
void write_groups(const Space& space, const SectionGroups& groups, std::span<const CurveKey> keys,
                  const GroupNotes& notes);

// Writes to keys[i] the sum over slots of number[slot][g], where g is the group that notes[slot]
// has for object i. Slots without numbers are left out.
void write_sums(const Space& space, std::int64_t count,
                const std::array<const GroupNotes*, 3>& notes,
                const std::array<std::vector<std::uint64_t>, 3>& number, CurveKey* keys);

}  // namespace evenkeel
