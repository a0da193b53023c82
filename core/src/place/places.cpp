#include "place/places.hpp"

#include "field/numbers.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <utility>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::place::places";

// Coordinate `axis` of object i is number i * dimensions + axis.
template <class Real>
struct CopyPlaces {
  Places<Real> places;
  int dimensions;
  double* copy;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int axis = 0; axis < dimensions; ++axis) copy[i * dimensions + axis] = places.at(i, axis);
  }
};

template <int n>
struct MoveToCells {
  Lattice lattice;
  const CurveKey* keys;
  const std::int64_t *objects, *groups;
  double* copy;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t object = objects[k];
    if (groups[object] < 0) return;
    const Cell<n> cell = lattice.template cell<n>(keys[k]);
    for (int axis = 0; axis < n; ++axis)
      copy[object * n + axis] = lattice.middle(axis, cell.at[axis]);
  }
};

PlacesOfSet copy_of(const Space& space, const FieldLayout& at) {
  PlacesOfSet places;
  places.copy = {space, label, at.count * at.components};
  if (at.scalar == ScalarType::float32)
    exec::for_each(space, label, at.count,
                   CopyPlaces<float>{Places<float>(at), at.components, places.copy.data()});
  else
    exec::for_each(space, label, at.count,
                   CopyPlaces<double>{Places<double>(at), at.components, places.copy.data()});
  space.fence(label);
  places.field = std::make_unique<RawField<double>>(
      raw_field(places.copy.data(), {.count = at.count,
                                     .components = at.components,
                                     .memory = places.copy.memory(),
                                     .label = "positions"}));
  places.as_set = std::make_unique<Set>(set(*places.field));
  return places;
}

}  // namespace

PlacesOfSet reachable_places(const Space& space, const Set& set) {
  const FieldLayout at = set.position();
  if (space.can_access(at.memory)) return {};
  FieldLayout there = at;  // the same values, packed
  const exec::Array<char> bytes(space, label, at.count * at.bytes_per_object());
  there.data = bytes.data();
  there.memory = bytes.memory();
  there.capacity = at.count;
  there.object_stride_bytes = at.bytes_per_object();
  there.component_stride_bytes = at.element_bytes;
  copy_objects(space, there, at, at.count);
  return copy_of(space, there);
}

PlacesOfSet places_by_group(const Space& space, const Set& set, const Set& given,
                            const Order& order, const Lattice& lattice) {
  if (!given.options().group.given()) return {};
  const exec::Array<std::int64_t> groups =
      read_integers(space, given.options().group.layout(), given.count());
  PlacesOfSet places = copy_of(space, set.position());
  const std::int64_t count = order.objects.size();
  if (lattice.dimensions() == 3)
    exec::for_each(space, label, count,
                   MoveToCells<3>{lattice, order.keys.data(), order.objects.data(), groups.data(),
                                  places.copy.data()});
  else
    exec::for_each(space, label, count,
                   MoveToCells<2>{lattice, order.keys.data(), order.objects.data(), groups.data(),
                                  places.copy.data()});
  space.fence(label);
  return places;
}

}  // namespace evenkeel
