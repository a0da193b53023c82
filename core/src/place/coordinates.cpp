#include "place/coordinates.hpp"

#include "field/copy.hpp"
#include "field/numbers.hpp"

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel {

namespace {

constexpr const char* coordinates_label = "evenkeel::place::coordinates";

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

CoordinatesOfSet copy_of(const Space& space, const FieldLayout& at) {
  CoordinatesOfSet coordinates;
  coordinates.copy = read_places(space, at, nullptr, at.count);
  space.fence(coordinates_label);
  coordinates.field = std::make_unique<RawField<double>>(
      raw_field(coordinates.copy.data(), {.count = at.count,
                                          .components = at.components,
                                          .memory = coordinates.copy.memory(),
                                          .label = "positions"}));
  coordinates.as_set = std::make_unique<Set>(set(*coordinates.field));
  return coordinates;
}

}  // namespace

CoordinatesOfSet reachable_coordinates(const Space& space, const Set& set) {
  const FieldLayout at = set.position();
  if (space.can_access(at.memory)) return {};
  const exec::Array<char> bytes(space, coordinates_label, at.count * at.bytes_per_object());
  const FieldLayout there = packed_like(at, bytes.data(), bytes.memory(), at.count);
  copy_objects(space, there, at, at.count);
  return copy_of(space, there);
}

CoordinatesOfSet coordinates_by_group(const Space& space, const Set& set, const Set& given,
                                      const Order& order, const Lattice& lattice) {
  if (!given.options().group.given()) return {};
  const exec::Array<std::int64_t> groups =
      read_integers(space, given.options().group.layout(), given.count());
  CoordinatesOfSet coordinates = copy_of(space, set.position());
  const std::int64_t count = order.objects.size();
  if (lattice.dimensions() == 3)
    exec::for_each(space, coordinates_label, count,
                   MoveToCells<3>{lattice, order.keys.data(), order.objects.data(), groups.data(),
                                  coordinates.copy.data()});
  else
    exec::for_each(space, coordinates_label, count,
                   MoveToCells<2>{lattice, order.keys.data(), order.objects.data(), groups.data(),
                                  coordinates.copy.data()});
  space.fence(coordinates_label);
  return coordinates;
}

}  // namespace evenkeel
