#pragma once

// Writes the part of each object. Any function object can find the part of a point.

#include "domains/checks.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/core/field/set.hpp>

#include <string>

namespace evenkeel {

inline constexpr const char* parts_label = "evenkeel::domains::parts";

// Each index handles `together` objects. The fastest number depends on the type of the domains.
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
void write_parts_on(const Instance& instance, const PartOf& part_of, const Places<Real>& places,
                    int* parts) {
  constexpr int together = is_device<Instance> ? 1 : PartOf::together;
  exec::for_each(instance, parts_label, (places.count + together - 1) / together,
                 PartsOfObjects<Real, PartOf, together>{part_of, places, parts});
}

// Blocks, so the data to which part_of refers must stay valid only until this returns.
template <class PartOf>
void write_parts_by(const Space& space, const PartOf& part_of, const Set& set, int* parts) {
  with_space(space, [&](const auto& instance) {
    with_places(set.position(),
                [&](const auto& places) { write_parts_on(instance, part_of, places, parts); });
  });
  space.fence(parts_label);
}

// Returns false if there are no objects. Throws an Error if there are objects but no parts.
inline bool has_objects(const char* stage, const Space& space, const Decomposition& domains,
                        const Set& set) {
  check_has_parts(stage, domains.parts());
  check(set);
  const FieldLayout at = set.position();
  if (at.count == 0) return false;
  if (at.components != domains.dimensions() || !space.can_access(at.memory))
    Refusal{stage}("Positions have " + std::to_string(at.components) + " components in " +
                       name_of(at.memory) + " memory, but parts were asked for on " +
                       std::string(space.name()) + " in " + std::to_string(domains.dimensions()) +
                       " dimensions.",
                   "Give positions with one component per dimension, and a space that reaches "
                   "their memory.");
  return true;
}

}  // namespace evenkeel
