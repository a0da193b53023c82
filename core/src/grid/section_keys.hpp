#pragma once

// Keys of objects for one level of Sections.

#include "grid/ruler.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/grid/axis.hpp>
#include <evenkeel/core/key.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// What marks places in a group.
struct SectionRuler {
  Ruler ruler;
  int axis;
};

// How groups were divided, and how those that this made are marked in the next level. Without
// splitters: they were not, and all objects are in group 0.
struct SectionGroups {
  int bits;  // of a mark
  std::array<GridAxis, 3> axes;
  std::span<const std::int32_t> first;  // of the splitters of each group, and their number
  std::span<const CurveKey> splitters;
  std::span<const SectionRuler> rulers;
};

// keys[i]: of object i in the level before; becomes its key in the next. In memory that `space`
// reaches. Blocks.
void write_section_keys(const Space& space, const FieldLayout& position,
                        const SectionGroups& groups, CurveKey* keys);

// The group that each object is in after the division that `groups` tell, by its key in it.
void write_groups(const Space& space, const SectionGroups& groups, std::span<const CurveKey> keys,
                  std::uint32_t* group_of_object);

// keys[i]: the sum of number[slot][group of object i in the slot], over slots that have numbers.
void write_sums(const Space& space, std::int64_t count,
                const std::array<const std::uint32_t*, 3>& groups,
                const std::array<std::vector<std::uint64_t>, 3>& number, CurveKey* keys);

}  // namespace evenkeel
