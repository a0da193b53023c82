#pragma once

// Writes the parts of objects, with any function object that finds the part of a point.

#include "domains/checks.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel {

inline constexpr const char* parts_label = "evenkeel::domains::parts";

// A few objects per index: as many as are fastest together.
template <class Real, class PartOf, int together>
struct PartsOfObjects {
  PartOf part_of;
  Places<Real> places;
  int* parts;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t begin = index * together;
    if (begin + together <= places.count) return find<together>(begin);
    for (std::int64_t i = begin; i < places.count; ++i) find<1>(i);
  }

  template <int count>
  KOKKOS_FUNCTION void find(std::int64_t begin) const {
    part_of.template find<count>([&](int i, int axis) { return places.at(begin + i, axis); },
                                 parts + begin);
  }
};

template <class Real, class Instance, class PartOf>
void write_parts_from(const Instance& instance, const PartOf& part_of, const FieldLayout& at,
                      int* parts) {
  constexpr int together = is_device<Instance> ? 1 : PartOf::together;
  exec::for_each(instance, parts_label, (at.count + together - 1) / together,
                 PartsOfObjects<Real, PartOf, together>{part_of, Places<Real>(at), parts});
}

template <class Instance, class PartOf>
void write_parts_on(const Instance& instance, const PartOf& part_of, const FieldLayout& at,
                    int* parts) {
  at.scalar == ScalarType::float32 ? write_parts_from<float>(instance, part_of, at, parts)
                                   : write_parts_from<double>(instance, part_of, at, parts);
}

// What part_of refers to must stay valid until this returns.
template <class PartOf>
void write_parts_by(const Space& space, const PartOf& part_of, const Set& set, int* parts) {
  const FieldLayout at = set.position();
  with_space(space, [&](const auto& instance) { write_parts_on(instance, part_of, at, parts); });
  space.fence(parts_label);
}

// False when there is nothing to write. Throws an Error for objects that have no parts.
inline bool has_objects(const char* stage, const Space& space, int all_parts, int dimensions,
                        const Set& set) {
  check_has_parts(stage, all_parts);
  check(set);
  const FieldLayout at = set.position();
  if (at.count == 0) return false;
  if (at.components != dimensions || !space.can_access(at.memory))
    throw Error(ErrorKind::bad_input, Where{stage},
                "Positions of " + std::to_string(at.components) + " components in " +
                    name_of(at.memory) + " memory have no parts on " + std::string(space.name()) +
                    " in " + std::to_string(dimensions) + " dimensions.",
                "Give positions of the dimensions of the box, and a space that reaches them.");
  return true;
}

// `values` where `space` reaches them: the original, or a copy in `copy`.
template <class T>
const T* reachable(const Space& space, const std::vector<T>& values, Buffer& copy) {
  if (space.can_access(MemoryKind::host) || values.empty()) return values.data();
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
  copy = Buffer("evenkeel::domains::borders", MemoryKind::device, bytes);
  copy_bytes(space, copy.data(), copy.kind(), values.data(), MemoryKind::host, bytes);
  return reinterpret_cast<const T*>(copy.data());
}

}  // namespace evenkeel
