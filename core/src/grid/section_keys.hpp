#pragma once

// Keys of objects for one level of Sections.

#include "grid/ruler.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/key.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace evenkeel {

// How the groups of the level before were divided, and along which axes those that it made are now.
// Without splitters: there was none before, and all objects are in group 0.
struct SectionGroups {
  int bits;  // of a mark
  std::array<Ruler, 3> rulers;
  std::span<const std::int32_t> first;  // of the splitters of each group, and their number
  std::span<const CurveKey> splitters;
  std::span<const std::uint8_t> axes;
};

// keys[i]: of object i in the level before; becomes its key in the next. In memory that `space`
// reaches. Blocks.
void write_section_keys(const Space& space, const FieldLayout& position,
                        const SectionGroups& groups, CurveKey* keys);

}  // namespace evenkeel
