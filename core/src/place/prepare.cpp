// The stage prepare: all steps that do not depend on the goal.

#include "place/coordinates.hpp"
#include "place/method.hpp"
#include "place/stage.hpp"

#include <evenkeel/backends/exec/region.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

bool places_in_cells(const Method& method) noexcept {
  return std::holds_alternative<Voronoi>(method) || std::holds_alternative<Mesh>(method);
}

using MakeOrder = Order (*)(const Space& space, const Lattice& lattice, const Set& set);

Order only_keys(const Space& space, const Lattice& lattice, const Set& set) {
  Order order;
  order.keys = exec::Array<CurveKey>(space, "evenkeel::place::keys", set.count());
  write_keys(space, lattice, set, order.keys.data());
  space.fence("evenkeel::place::keys");
  return order;
}

Order no_order(const Space&, const Lattice&, const Set&) { return {}; }

Prepared prepared_with(MakeOrder make, const Status& status, std::span<const Set> sets,
                       const Region& region, const PlaceOptions& options) {
  Prepared prepared{space_for(sets), sets, region, {.method = options.method}, {}, {}, {}, {}, {}};
  const Space& space = prepared.space;
  prepared.status = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    prepared.options = options;
    prepared.lattice =
        Lattice(region.dimensions, region.box, options.periodic, row_of(options.method).curve,
                places_in_cells(options.method) ? 0 : options.levels);
    for (const Set& set : sets) prepared.coordinates.push_back(reachable_coordinates(space, set));
    for (std::size_t s = 0; s < sets.size(); ++s)
      prepared.orders.push_back(make(space, prepared.lattice, prepared.set(s)));
  });
  return prepared;
}

}  // namespace

Space space_for(std::span<const Set> sets) {
  const bool on_host = std::all_of(sets.begin(), sets.end(), [](const Set& set) {
    return set.position().memory == MemoryKind::host;
  });
  return Space::where(on_host ? MemoryKind::host : MemoryKind::shared);
}

PreparedToCut prepare_to_cut(const Status& status, std::span<const Set> sets, const Region& region,
                             const PlaceOptions& options) {
  const exec::Region shown("evenkeel::prepare");
  MakeOrder make = &no_order;
  if (places_along_curve(options.method)) make = &only_keys;
  if (places_in_cells(options.method)) make = &order;
  return {prepared_with(make, status, sets, region, options)};
}

Prepared prepare(const Communicator& communicator, const Status& status, std::span<const Set> sets,
                 const Region& region, const PlaceOptions& options) {
  const exec::Region shown("evenkeel::prepare");
  Prepared prepared = prepared_with(&order, status, sets, region, options);
  const Space& space = prepared.space;
  if (!region.is_bound) return prepared;
  prepared.bonds = hold_together({communicator, prepared.status}, sets, prepared.orders);
  prepared.status = attempt(stage_name, [&] {
    for (std::size_t s = 0; s < sets.size(); ++s) {
      CoordinatesOfSet by_group = coordinates_by_group(space, prepared.set(s), sets[s],
                                                       prepared.orders[s], prepared.lattice);
      if (by_group.as_set) prepared.coordinates[s] = std::move(by_group);
    }
  });
  return prepared;
}

}  // namespace evenkeel
