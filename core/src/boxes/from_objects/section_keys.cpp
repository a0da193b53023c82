#include "boxes/from_objects/section_keys.hpp"

#include "field/places.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>

#include <iterator>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::boxes::keys";

// SectionGroups as plain arrays, in memory that kernels can access.
struct GroupArrays {
  int bits;
  GridAxis axes[3];
  const std::int32_t* first;
  const CurveKey* splitters;
  const SectionRuler* rulers;

  // Returns the group of a key after the division: the number of pieces of all previous groups,
  // plus the number of splitters of the key's own group that are not above the key. Branches do not
  // depend on the key, except if groups have different numbers of pieces.
  KOKKOS_FUNCTION std::int64_t after(std::uint64_t key) const {
    const auto group = static_cast<std::int64_t>(key >> bits);
    const std::int64_t begin = first[group];
    std::int64_t rest = first[group + 1] - begin;
    if (rest == 0) return group + begin;
    const CurveKey* splitter = splitters + begin;
    while (rest > 1) {
      const std::int64_t half = rest / 2;
      splitter += splitter[half - 1].value <= key ? half : 0;
      rest -= half;
    }
    return group + (splitter - splitters) + (splitter->value <= key ? 1 : 0);
  }
};

template <class Real>
struct WriteKey {
  Places<Real> places;
  GroupArrays groups;
  bool at_begin;  // all objects are in group 0
  CurveKey* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t group = at_begin ? 0 : groups.after(keys[i].value);
    const SectionRuler& here = groups.rulers[group];
    const double place = groups.axes[here.axis].inside(places.at(i, here.axis));
    keys[i] = {(static_cast<std::uint64_t>(group) << groups.bits) | here.ruler.mark(place)};
  }
};

// For each object, the number of its SectionGroup, in 2 or 4 bytes. The size is the same for all
// objects, so the processor can predict the branch.
struct Notes {
  std::uint16_t* in_2_bytes = nullptr;
  std::uint32_t* in_4_bytes = nullptr;

  Notes() = default;
  explicit Notes(const GroupNotes& notes) {
    if (notes.are_short())
      in_2_bytes = reinterpret_cast<std::uint16_t*>(notes.data());
    else
      in_4_bytes = reinterpret_cast<std::uint32_t*>(notes.data());
  }
  KOKKOS_FUNCTION void note(std::int64_t i, std::int64_t group) const {
    if (in_2_bytes != nullptr)
      in_2_bytes[i] = static_cast<std::uint16_t>(group);
    else
      in_4_bytes[i] = static_cast<std::uint32_t>(group);
  }
  KOKKOS_FUNCTION std::uint32_t group(std::int64_t i) const {
    return in_2_bytes != nullptr ? in_2_bytes[i] : in_4_bytes[i];
  }
};

struct WriteGroup {
  GroupArrays groups;
  const CurveKey* keys;
  Notes into;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    into.note(i, groups.after(keys[i].value));
  }
};

struct WriteSum {
  Notes notes[3];
  const std::uint64_t* number[3];
  CurveKey* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t sum = 0;
    for (int slot = 0; slot < 3; ++slot)
      if (number[slot] != nullptr) sum += number[slot][notes[slot].group(i)];
    keys[i] = {sum};
  }
};

// SectionGroups in memory that the space can access.
struct Brought {
  exec::Reached<std::int32_t> first;
  exec::Reached<CurveKey> splitters;
  exec::Reached<SectionRuler> rulers;
  GroupArrays groups;

  Brought(const Space& space, const SectionGroups& from)
      : first(space, label, from.first),
        splitters(space, label, from.splitters),
        rulers(space, label, from.rulers),
        groups{from.bits,
               {from.axes[0], from.axes[1], from.axes[2]},
               first.data(),
               splitters.data(),
               rulers.data()} {}
};

}  // namespace

void write_section_keys(const Space& space, const FieldLayout& position,
                        const SectionGroups& groups, CurveKey* keys) {
  if (position.count == 0) return;
  const Brought there(space, groups);
  with_places(position, [&]<class Real>(const Places<Real>& places) {
    exec::for_each(space, label, position.count,
                   WriteKey<Real>{places, there.groups, groups.first.empty(), keys});
  });
  space.fence(label);
}

GroupNotes::GroupNotes(MemoryKind memory, std::int64_t objects, std::int64_t groups)
    : are_short_(groups <= std::int64_t{1} << 16) {
  notes_ = Buffer("evenkeel::boxes::groups", memory, objects * (are_short_ ? 2 : 4));
}

void write_groups(const Space& space, const SectionGroups& groups, std::span<const CurveKey> keys,
                  const GroupNotes& notes) {
  if (keys.empty()) return;
  const Brought there(space, groups);
  exec::for_each(space, label, std::ssize(keys),
                 WriteGroup{there.groups, keys.data(), Notes(notes)});
  space.fence(label);
}

void write_sums(const Space& space, std::int64_t count,
                const std::array<const GroupNotes*, 3>& notes,
                const std::array<std::vector<std::uint64_t>, 3>& number, CurveKey* keys) {
  if (count == 0) return;
  std::vector<exec::Reached<std::uint64_t>> reached;
  reached.reserve(3);
  WriteSum write{{}, {}, keys};
  for (std::size_t slot = 0; slot < 3; ++slot)
    if (!number[slot].empty()) {
      write.notes[slot] = Notes(*notes[slot]);
      write.number[slot] = reached.emplace_back(space, label, number[slot]).data();
    }
  exec::for_each(space, label, count, write);
  space.fence(label);
}

}  // namespace evenkeel
