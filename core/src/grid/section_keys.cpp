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
  Ruler rulers[3];
  const std::int32_t* first;
  const CurveKey* splitters;
  const std::uint8_t* axes;
};

template <class Real>
struct WriteKey {
  Places<Real> places;
  Groups groups;
  bool at_begin;  // all objects are in group 0
  CurveKey* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t group = at_begin ? 0 : group_after(keys[i].value);
    const int axis = groups.axes[group];
    keys[i] = {(static_cast<std::uint64_t>(group) << groups.bits) |
               groups.rulers[axis].mark(places.at(i, axis))};
  }

  // The pieces of all groups before, and then those of its own that end at or below the key.
  KOKKOS_FUNCTION std::int64_t group_after(std::uint64_t key) const {
    const auto group = static_cast<std::int64_t>(key >> groups.bits);
    std::int64_t splitter = groups.first[group];
    for (std::int64_t rest = groups.first[group + 1] - splitter; rest > 0;) {
      const std::int64_t half = rest / 2;
      const bool above = groups.splitters[splitter + half].value <= key;
      splitter += above ? half + 1 : 0;
      rest = above ? rest - half - 1 : half;
    }
    return group + splitter;
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
                        {groups.rulers[0], groups.rulers[1], groups.rulers[2]},
                        brought(space, groups.first, copies[0]),
                        brought(space, groups.splitters, copies[1]),
                        brought(space, groups.axes, copies[2])};
  with_space(space, [&](const auto& instance) {
    write_on(instance, position, there, groups.first.empty(), keys);
  });
  space.fence(label);
}

}  // namespace evenkeel
