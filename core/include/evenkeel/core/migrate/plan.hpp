#pragma once

// Who sends which objects to whom, and where they come to stand. A value: nothing has moved yet. A
// code that moves its own data reads exports and imports here, and needs nothing else of migrate.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/migrate/bonds.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// So many objects to a rank, or from one: those from place `first` on of SetPlan::objects, or of
// the order of arrival.
struct Parcel {
  int rank;
  std::int64_t first, objects;
};

// Where the bytes of one payload begin, object by object, and the end of all.
struct PayloadPlan {
  std::vector<std::int64_t> leaving;   // in the order of SetPlan::objects
  std::vector<std::int64_t> arriving;  // in the order of arrival
};

// One set of this rank.
struct SetPlan {
  // All objects that are here, by where they go to: those of an export side by side, and those that
  // stay.
  std::vector<std::int64_t> objects;
  // The same as ranges, from places in `objects` to objects, where they lie in long ones; empty
  // elsewhere.
  std::vector<ObjectRange> leaving;

  std::vector<Parcel> exports;     // by rank; other ranks alone, none of them empty
  std::vector<Parcel> imports;     // the same
  std::int64_t staying = 0;        // objects
  std::int64_t first_staying = 0;  // among `objects`

  // Arrivals are counted by rank: those of lower ranks, then what stays here, then those of higher
  // ranks. Where each comes to stand: as ranges from arrivals to places, by arrival, where these
  // are long; one by one elsewhere.
  std::vector<ObjectRange> landing;
  std::vector<std::int64_t> places;
  std::int64_t first_kept = 0;  // of what stays, among arrivals

  std::vector<PayloadPlan> payloads;

  std::int64_t count_before() const noexcept { return std::ssize(objects); }
  std::int64_t count_after = 0;

  // What goes to the rank of an export.
  std::span<const std::int64_t> objects_of(const Parcel& parcel) const {
    return std::span(objects).subspan(static_cast<std::size_t>(parcel.first),
                                      static_cast<std::size_t>(parcel.objects));
  }
  // Where an arrival comes to stand.
  EVENKEEL_API std::int64_t place_of(std::int64_t arrival) const;
};

struct Plan {
  std::vector<SetPlan> sets;
  std::int64_t objects_moved = 0;   // over all ranks and sets
  std::int64_t fewest_objects = 0;  // that any rank will hold, over all sets
  int emptiest_rank = 0;            // that one; of several the lowest
  bool empty() const noexcept { return objects_moved == 0; }
};

struct PlanOptions {
  // Part p goes to rank_of_part[p]; empty: to rank p.
  std::span<const int> rank_of_part = {};
  // Of each set, the rank that each object goes to whatever its key says, or Bonds::free, by object
  // as the set has them; none: all are free.
  std::span<const std::vector<int>> held = {};
  // Whose payloads are asked for their sizes; none: no set has payloads.
  std::span<const Set> sets = {};
};

// Collective. Objects come to stand in the order of their keys; those of one key in the order of
// the ranks they were on, and there as they were. `status` as in cut().
EVENKEEL_API Plan plan(const Communicator& communicator, const Status& status,
                       const Splitters& splitters, std::vector<Order> orders,
                       const PlanOptions& options = {});

// Collective. Object i of set s goes to rank destinations[s][i]. Objects come to stand in the order
// of the ranks they were on, and there as they were. `status` as in cut(), `sets` as in
// PlanOptions.
EVENKEEL_API Plan plan_to(const Communicator& communicator, const Status& status,
                          std::span<const std::span<const int>> destinations,
                          std::span<const Set> sets = {});

}  // namespace evenkeel
