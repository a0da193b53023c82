#pragma once

// A plan says which objects each rank sends to which rank, and where they will be there. A plan is
// a value: nothing has moved yet. A code that moves its data itself reads exports and imports here,
// and needs nothing else of core/migrate.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/strays.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/migrate/report.hpp>
#include <evenkeel/core/order.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::stages {

// --- Bonds ---------------------------------------------------------------------------------------
// Objects that move together, and objects that stay on their rank.

// The rank that each object of each set must go to.
struct Bonds {
  static constexpr int free = -1;  // the object goes to the owner of its key
  // for each set, in the memory of its order; empty if all objects of the set are free
  std::vector<exec::Array<int>> held;
};

// Collective. Gives all objects of a group, on all ranks and in all sets, the least key among them,
// and sorts the orders again. A cut then keeps the group together, because it never separates
// objects with the same key. Pinned objects stay on their rank, and the rest of their group goes
// there too. A group that is pinned on two ranks is an Error. The number of a group determines the
// rank that gathers its data. All orders must be in one kind of memory.
EVENKEEL_API Bonds hold_together(const Voters& voters, std::span<const Set> sets,
                                 std::span<Order> orders);

// --- Plans ---------------------------------------------------------------------------------------

// For one payload, the first byte of each object, then the number of all bytes. Lists are in the
// memory of the payload.
struct PayloadPlan {
  exec::Array<std::int64_t> leaving;                   // in the order of SetPlan::objects
  exec::Array<std::int64_t> arriving;                  // in the order of arrival
  std::int64_t bytes_leaving = 0, bytes_arriving = 0;  // of all objects in the plan
};

// The plan for one set of this rank. Lists are in the memory of the space that has made the order.
struct SetPlan {
  // The objects of this rank, sorted by destination. The objects of each export are adjacent, and
  // so are those that stay on this rank and get a new place.
  exec::Array<std::int64_t> objects;
  // The same list as ranges from places in `objects` to objects; empty if the list is not on the
  // host or the ranges are short.
  std::vector<detail::ObjectRange> leaving;

  std::vector<Parcel> exports;     // sorted by rank; only to other ranks, and never empty
  std::vector<Parcel> imports;     // the same, from other ranks
  std::int64_t staying = 0;        // objects
  std::int64_t first_staying = 0;  // among `objects`

  // Arrivals are all objects that get a place on this rank. They are numbered by the rank that they
  // come from: first those from lower ranks, then the objects that stay here, then those from
  // higher ranks. One of two lists has their places, and the other one is empty. If the list is on
  // the host and the ranges are long, it is `landing`: ranges from arrivals to places, sorted by
  // arrival. Otherwise it is `places`, with one entry per arrival.
  std::vector<detail::ObjectRange> landing;
  exec::Array<std::int64_t> places;
  std::int64_t first_kept = 0;  // the first object that stays, among arrivals

  std::vector<PayloadPlan> payloads;

  // `unlisted` is the number of objects that keep their place in memory; they are in no list.
  // `holes` are the places that the other objects leave, in ascending order.
  std::int64_t unlisted = 0;
  exec::Array<std::int64_t> holes;

  // The numbers of objects before and after the move, without the unlisted ones.
  std::int64_t count_before() const noexcept { return objects.size(); }
  std::int64_t count_after = 0;

  // The objects of an export, in the memory of the list.
  std::span<const std::int64_t> objects_of(const Parcel& parcel) const {
    return objects.span().subspan(static_cast<std::size_t>(parcel.first),
                                  static_cast<std::size_t>(parcel.objects));
  }
  // The place of an arrival. Copies it to the host if the list is elsewhere.
  EVENKEEL_API std::int64_t place_of(std::int64_t arrival) const;
};

// The plan of this rank for all sets.
struct Plan {
  std::vector<SetPlan> sets;
  bool keeps_places = false;        // true if objects that stay keep their places, as plan_strays()
                                    // explains
  std::int64_t objects_moved = 0;   // over all ranks and sets
  std::int64_t fewest_objects = 0;  // that a rank has after the move, over all sets
  int emptiest_rank = 0;            // the lowest rank with this number
  bool empty() const noexcept { return objects_moved == 0; }
};

// Further input of a plan.
struct PlanOptions {
  // Part p goes to rank_of_part[p], or to rank p if this is empty.
  std::span<const int> rank_of_part = {};
  // For each set and each of its objects, the rank that the object goes to, or Bonds::free if its
  // key determines the rank. The arrays are indexed like the objects of the set, and in the memory
  // of its order. If this is empty, all objects are free.
  std::span<const exec::Array<int>> held = {};
  // The sets, whose payloads report their sizes. It may be empty if no set has payloads.
  std::span<const Set> sets = {};
};

// Collective. Objects are placed in the order of their keys; objects with the same key are sorted
// by their old rank, and within a rank stay in their old order.
EVENKEEL_API Plan plan(const Voters& voters, const Splitters& splitters, std::vector<Order> orders,
                       const PlanOptions& options = {});

// The objects of one set, sorted by part, and within a part by key. Part p begins at offsets[p],
// and the last offset is the number of all objects.
struct Arranged {
  Order order;
  std::vector<std::int64_t> offsets;
};

// Collective. Makes a plan for objects that are sorted by part already. Parts may be of any kind.
EVENKEEL_API Plan plan_arranged(const Voters& voters, std::vector<Arranged> sets,
                                const PlanOptions& options = {});

// Returns the first place of each part in an order along the curve, then the number of all objects.
// Local.
EVENKEEL_API std::vector<std::int64_t> offsets_of(const Order& order, const Splitters& splitters);

// Collective. Object i of set s goes to rank destinations[s][i]. Objects are sorted by their old
// rank, and within a rank stay in their old order. `sets` is as in PlanOptions.
EVENKEEL_API Plan plan_to(const Voters& voters, std::span<const std::span<const int>> destinations,
                          std::span<const Set> sets = {});

// Collective. Sends the strays of each set to their owners. Most other objects keep their places in
// memory: arrivals, sorted by their old rank and then by their old order, fill the places that
// strays leave. Objects from the end fill the places that remain. The cost of such a plan depends
// on the number of strays, not on the size of the set. Sets with payloads are an Error.
EVENKEEL_API Plan plan_strays(const Voters& voters, std::span<const Strays> strays,
                              std::span<const Set> sets);

}  // namespace evenkeel::stages
