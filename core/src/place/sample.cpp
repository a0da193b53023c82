#include "place/sample.hpp"
#include "place/stage.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* items_label = "evenkeel::place::items";

template <class Real>
struct WriteItems {
  Lattice lattice;
  Places<Real> places;
  const CurveKey* keys;
  const std::int64_t* objects;  // as in an Order
  const double* weights;        // in the order of the objects; null if all are the same
  Units units;
  Item* items;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t object = objects == nullptr ? i : objects[i];
    std::uint32_t cell[3] = {};
    for (int axis = 0; axis < lattice.dimensions(); ++axis)
      cell[axis] = lattice.coordinate(axis, places.at(object, axis));
    items[i].key = keys[i];
    std::uint32_t* const its = reinterpret_cast<std::uint32_t*>(&items[i].cell);
    for (int axis = 0; axis < 3; ++axis) its[axis] = cell[axis];
    items[i].units = weights == nullptr ? units.one() : units.of(weights[object]);
  }
};

// A coarser cell of a key along a curve.
template <int n>
std::array<double, 3> cell_of(const Lattice& curve, CurveKey key, int levels) {
  const Cell<n> cell = curve.template cell<n>(key);
  std::array<double, 3> place = {};
  for (int d = 0; d < n; ++d)
    place[static_cast<std::size_t>(d)] =
        static_cast<double>(cell.at[d] >> (curve.levels() - levels));
  return place;
}

// Keys at equal distances along the curve.
std::vector<CurveKey> evenly_spread(std::size_t count, int dimensions) {
  const std::uint64_t end = end_of_curve(dimensions).value;
  std::vector<CurveKey> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back({end / count * i + end / count / 2});
  return keys;
}

}  // namespace

exec::Array<Item> items_of(const PlaceTask& task, std::size_t set, const Lattice& lattice,
                           const Units& units) {
  const Prepared& prepared = task.prepared;
  const Order& order = prepared.orders[set];
  exec::Array<Item> items(prepared.space, items_label, order.keys.size());
  with_space(prepared.space, [&](const auto& instance) {
    with_places(prepared.set(set).position(), [&]<class Real>(const Places<Real>& places) {
      exec::for_each(instance, items_label, items.size(),
                     WriteItems<Real>{lattice, places, order.keys.data(),
                                      order.objects.empty() ? nullptr : order.objects.data(),
                                      weights_of(task, set, units), units, items.data()});
    });
  });
  prepared.space.fence(items_label);
  return items;
}

std::vector<Item> items_of(const PlaceTask& task, const Lattice& lattice, const Units& units) {
  std::vector<Item> all;
  for (std::size_t s = 0; s < task.prepared.orders.size(); ++s) {
    const std::vector<Item> of_set = items_of(task, s, lattice, units).on_host();
    all.insert(all.end(), of_set.begin(), of_set.end());
  }
  return all;
}

std::vector<std::array<double, 3>> sample_of(const PlaceTask& task, const Keyed& keyed,
                                             const Census& all, std::size_t count,
                                             const Lattice& lattice) {
  const int dimensions = lattice.dimensions();
  Cut sample;
  if (all.objects > 0) {
    CutOptions cutting;
    cutting.parts = static_cast<int>(count);
    cutting.dimensions = dimensions;
    cutting.most_objects = all.objects;
    sample = cut({task.communicator}, keyed.sets, cutting);
  }
  std::vector<std::array<double, 3>> places;
  vote(task.communicator, attempt(stage_name, [&] {
         const std::vector<CurveKey> keys =
             all.objects > 0
                 ? std::vector<CurveKey>(sample.splitters.begin() + 1, sample.splitters.end() - 1)
                 : evenly_spread(count, dimensions);
         for (const CurveKey key : keys) {
           const Lattice& curve = task.prepared.lattice;
           std::array<double, 3> at = dimensions == 3 ? cell_of<3>(curve, key, lattice.levels())
                                                      : cell_of<2>(curve, key, lattice.levels());
           // If the box is not a cube, the curve leaves it.
           bool is_outside = false;
           for (int axis = 0; axis < dimensions; ++axis) {
             double& along = at[static_cast<std::size_t>(axis)];
             is_outside = is_outside || along > lattice.last_coordinate(axis);
             along = std::min<double>(along, lattice.last_coordinate(axis));
           }
           if (all.objects > 0 || !is_outside) places.push_back(at);
         }
         if (places.empty()) places.push_back({});  // a box without extent has only this cell
       }));
  return places;
}

}  // namespace evenkeel
