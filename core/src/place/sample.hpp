#pragma once

// The objects that a search for domains looks at: all of them if they are few, or a sample that
// does not depend on how objects are spread over ranks.

#include "cut/add_up.hpp"
#include "cut/units.hpp"
#include "field/places.hpp"
#include "place/keyed.hpp"
#include "place/task.hpp"

#include <evenkeel/core/curve.hpp>

#include <array>
#include <vector>

namespace evenkeel {

// An object of a search.
struct Item {
  CurveKey key;
  std::array<std::uint32_t, 3> cell;
  std::int64_t units;
  friend bool operator<(const Item& a, const Item& b) {
    return a.key < b.key || (a.key == b.key && a.cell < b.cell);
  }
};

// The objects of a set on this rank in its order, with their cells in a lattice. Blocks.
exec::Array<Item> items_of(const PlaceTask& task, std::size_t set, const Lattice& lattice,
                           const Units& units);
// The same for all sets, in host memory.
std::vector<Item> items_of(const PlaceTask& task, const Lattice& lattice, const Units& units);

// Collective. About `count` cells of a lattice: those of the first objects of parts of equal weight
// along the curve. Without objects, the cells are spread evenly over the box.
std::vector<std::array<double, 3>> sample_of(const PlaceTask& task, const Keyed& keyed,
                                             const Census& all, std::size_t count,
                                             const Lattice& lattice);

// The weights of a set for kernels; null if all objects weigh the same.
inline const double* weights_of(const PlaceTask& task, std::size_t set, const Units& units) {
  return task.weights[set].empty() || units.weightless() ? nullptr : task.weights[set].data();
}

// --- The masses of domains -----------------------------------------------------------------------

// Finds the part of an object by its place.
template <class Real, class PartOf>
struct PartByPlace {
  PartOf part_of;
  Places<Real> places;
  KOKKOS_FUNCTION int operator()(std::int64_t, std::int64_t object) const {
    int part = 0;
    part_of.template find<1>([&](int, int axis) { return places.at(object, axis); }, &part);
    return part;
  }
};

// The units and the numbers of this rank's objects by part.
struct Held {
  std::vector<std::int64_t> units, objects;
  Held() = default;
  explicit Held(std::size_t parts) : units(parts), objects(parts) {}
};

template <class PartOf>
Held held_in(const PlaceTask& task, const char* label, const PartOf& part_of, std::size_t parts,
             const Units& units) {
  const Prepared& prepared = task.prepared;
  std::vector<std::int64_t> sums(2 * parts);
  const exec::Array<std::int64_t> there(prepared.space, label, std::span<const std::int64_t>(sums));
  for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
    const FieldLayout at = prepared.set(s).position();
    const Summands into{nullptr,      weights_of(task, s, units), at.count, units,
                        there.data(), static_cast<int>(parts)};
    with_space(prepared.space, [&](const auto& instance) {
      with_places(at, [&]<class Real>(const Places<Real>& places) {
        add_up(instance, label, into, PartByPlace<Real, PartOf>{part_of, places});
      });
    });
  }
  there.fetch(0, sums);
  const auto half = sums.begin() + static_cast<std::ptrdiff_t>(parts);
  Held held(parts);
  std::copy(sums.begin(), half, held.units.begin());
  std::copy(half, sums.end(), held.objects.begin());
  return held;
}

}  // namespace evenkeel
