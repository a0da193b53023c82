#include "boxes/from_objects/section_points.hpp"

#include "box/axes.hpp"

#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <bit>

namespace evenkeel {

namespace {

int bits_beside(std::int64_t groups) {
  constexpr int key_bits = 62;
  const int of_group = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(groups)));
  return std::min(52, key_bits - of_group);
}

CurveKey* keys_in(const Buffer& memory) { return reinterpret_cast<CurveKey*>(memory.data()); }

}  // namespace

SectionPoints::SectionPoints(std::span<const WeightedPoints> points, const BoxCutOptions& options,
                             int dimensions, std::int64_t most_pieces)
    : points_(points), bits_(bits_beside(most_pieces)) {
  for (int axis = 0; axis < dimensions; ++axis)
    axes_[static_cast<std::size_t>(axis)] = axis_of(options.box, options.periodic, axis);
  for (const WeightedPoints& set : points) {
    const std::int64_t count = set.position.count;
    keys_.emplace_back("evenkeel::boxes::keys", set.position.memory,
                       count * static_cast<std::int64_t>(sizeof(CurveKey)));
    keyed_.push_back({{keys_in(keys_.back()), static_cast<std::size_t>(count)},
                      set.weights,
                      set.position.memory});
  }
}

void SectionPoints::write_keys(const SectionGroups& groups) {
  for (std::size_t s = 0; s < points_.size(); ++s) {
    const FieldLayout& position = points_[s].position;
    write_section_keys(Space::where(position.memory), position, groups, keys_in(keys_[s]));
  }
}

void SectionPoints::note(int slot, const SectionGroups& groups, std::int64_t count) {
  std::vector<GroupNotes>& noted = noted_[static_cast<std::size_t>(slot)];
  noted.clear();
  for (std::size_t s = 0; s < points_.size(); ++s) {
    const FieldLayout& position = points_[s].position;
    noted.emplace_back(position.memory, position.count, count);
    write_groups(Space::where(position.memory), groups, keyed_[s].keys, noted[s]);
  }
}

void SectionPoints::write_sums(const std::array<std::vector<std::uint64_t>, 3>& number) {
  for (std::size_t s = 0; s < points_.size(); ++s) {
    const FieldLayout& position = points_[s].position;
    std::array<const GroupNotes*, 3> noted = {};
    for (std::size_t slot = 0; slot < 3; ++slot)
      if (!number[slot].empty()) noted[slot] = &noted_[slot][s];
    evenkeel::write_sums(Space::where(position.memory), position.count, noted, number,
                         keys_in(keys_[s]));
  }
}

}  // namespace evenkeel
