#include "grid/section_keys.hpp"

#include "field/places.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/memory.hpp>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::grid::keys";

// Plain arrays, in memory that the kernel reaches.
struct Groups {
  int bits;
  GridAxis axes[3];
  const std::int32_t* first;
  const CurveKey* splitters;
  const SectionRuler* rulers;
};

template <class Real>
struct WriteKey {
  Places<Real> places;
  Groups groups;
  bool at_begin;  // all objects are in group 0
  CurveKey* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t group = at_begin ? 0 : group_after(keys[i].value);
    const SectionRuler& here = groups.rulers[group];
    const double place = groups.axes[here.axis].image_of(places.at(i, here.axis));
    keys[i] = {(static_cast<std::uint64_t>(group) << groups.bits) | here.ruler.mark(place)};
  }

  // The pieces of all groups before, and then those of its own that end at or below the key. No
  // branch depends on the key but where groups have different numbers of pieces.
  KOKKOS_FUNCTION std::int64_t group_after(std::uint64_t key) const {
    const auto group = static_cast<std::int64_t>(key >> groups.bits);
    const std::int64_t first = groups.first[group];
    std::int64_t rest = groups.first[group + 1] - first;
    if (rest == 0) return group + first;
    const CurveKey* splitter = groups.splitters + first;
    while (rest > 1) {
      const std::int64_t half = rest / 2;
      splitter += splitter[half - 1].value <= key ? half : 0;
      rest -= half;
    }
    return group + (splitter - groups.splitters) + (splitter->value <= key ? 1 : 0);
  }
};

template <class Instance>
void write_on(const Instance& instance, const FieldLayout& position, const Groups& groups,
              bool at_begin, CurveKey* keys) {
  const Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>> objects(instance, 0,
                                                                               position.count);
  if (position.scalar == ScalarType::float32)
    Kokkos::parallel_for(label, objects,
                         WriteKey<float>{Places<float>(position), groups, at_begin, keys});
  else
    Kokkos::parallel_for(label, objects,
                         WriteKey<double>{Places<double>(position), groups, at_begin, keys});
}

template <class T>
const T* brought(const Space& space, std::span<const T> values, Buffer& copy) {
  if (space.can_access(MemoryKind::host)) return values.data();
  const auto bytes = static_cast<std::int64_t>(values.size_bytes());
  copy = Buffer(label, MemoryKind::device, bytes);
  copy_bytes(space, copy.data(), copy.kind(), values.data(), MemoryKind::host, bytes);
  return reinterpret_cast<const T*>(copy.data());
}

}  // namespace

void write_section_keys(const Space& space, const FieldLayout& position,
                        const SectionGroups& groups, CurveKey* keys) {
  if (position.count == 0) return;
  Buffer copies[3];
  const Groups there = {groups.bits,
                        {groups.axes[0], groups.axes[1], groups.axes[2]},
                        brought(space, groups.first, copies[0]),
                        brought(space, groups.splitters, copies[1]),
                        brought(space, groups.rulers, copies[2])};
  with_space(space, [&](const auto& instance) {
    write_on(instance, position, there, groups.first.empty(), keys);
  });
  space.fence(label);
}

}  // namespace evenkeel
