#pragma once

// Who sends which objects to whom, and their new places. A value: nothing has moved yet. A code
// that moves its own data reads exports and imports here, and needs nothing else of migrate.

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

namespace evenkeel {

// --- Bonds ---------------------------------------------------------------------------------------
// Objects that move as one, and objects that stay where they are.

// The rank that an object must go to, for each object of each set.
struct Bonds {
  static constexpr int free = -1;      // wherever its key says
  std::vector<exec::Array<int>> held;  // per set, in the memory of its order; empty: all are free
};

// Collective. Objects of all sets and ranks whose group has the same number get the least key among
// them, and the orders are sorted again: a cut keeps objects with one key together. Pinned objects
// are held where they are, and the rest of their group goes there too; a group that is pinned on
// two ranks is an Error. What is known of a group is gathered on one rank, which its number
// determines. All orders are in one memory.
// `status` as in cut().
EVENKEEL_API Bonds hold_together(const Communicator& communicator, const Status& status,
                                 std::span<const Set> sets, std::span<Order> orders);

// --- Plans ---------------------------------------------------------------------------------------

// Where the bytes of one payload begin, object by object, and the end of all; in the memory of the
// payload.
struct PayloadPlan {
  exec::Array<std::int64_t> leaving;                   // in the order of SetPlan::objects
  exec::Array<std::int64_t> arriving;                  // in the order of arrival
  std::int64_t bytes_leaving = 0, bytes_arriving = 0;  // of all
};

// One set of this rank. Lists are in the memory of the space that has made the order.
struct SetPlan {
  // The objects of this rank by destination: those of each export side by side, and those that stay
  // and get a new place.
  exec::Array<std::int64_t> objects;
  // The same as ranges from places in `objects` to objects, if the list is on the host and the
  // ranges are long; otherwise empty.
  std::vector<ObjectRange> leaving;

  std::vector<Parcel> exports;     // by rank; other ranks alone, none of them empty
  std::vector<Parcel> imports;     // the same
  std::int64_t staying = 0;        // objects
  std::int64_t first_staying = 0;  // among `objects`

  // Arrivals are numbered by rank: those from lower ranks, then the objects that stay here, then
  // those from higher ranks. The place of each: as ranges from arrivals to places, by arrival, if
  // these are long; otherwise one by one.
  std::vector<ObjectRange> landing;
  exec::Array<std::int64_t> places;
  std::int64_t first_kept = 0;  // of those that stay, among arrivals

  std::vector<PayloadPlan> payloads;

  // Objects that stay where they are in memory and are in no list, and the places that the others
  // leave, in ascending order.
  std::int64_t unlisted = 0;
  exec::Array<std::int64_t> holes;

  // Objects before and after the move, without the unlisted ones.
  std::int64_t count_before() const noexcept { return objects.size(); }
  std::int64_t count_after = 0;

  // The objects of an export, in the memory of the list.
  std::span<const std::int64_t> objects_of(const Parcel& parcel) const {
    return objects.span().subspan(static_cast<std::size_t>(parcel.first),
                                  static_cast<std::size_t>(parcel.objects));
  }
  // The place of an arrival; copied from where the list is.
  EVENKEEL_API std::int64_t place_of(std::int64_t arrival) const;
};

struct Plan {
  std::vector<SetPlan> sets;
  bool keeps_places = false;        // of the objects that stay: see plan_strays
  std::int64_t objects_moved = 0;   // over all ranks and sets
  std::int64_t fewest_objects = 0;  // the fewest on a rank after the move, over all sets
  int emptiest_rank = 0;            // the lowest rank that has so few
  bool empty() const noexcept { return objects_moved == 0; }
};

// What decides beside the keys.
struct PlanOptions {
  // Part p goes to rank_of_part[p]; empty: to rank p.
  std::span<const int> rank_of_part = {};
  // For each set, the rank that each object goes to whatever its key says, or Bonds::free; indexed
  // like the objects of the set, in the memory of its order. Empty: all are free.
  std::span<const exec::Array<int>> held = {};
  // The sets whose payloads are asked for their sizes; empty: no set has payloads.
  std::span<const Set> sets = {};
};

// Collective. Objects are placed in the order of their keys; those with one key by their old ranks,
// and within a rank in their old order. `status` as in cut().
EVENKEEL_API Plan plan(const Communicator& communicator, const Status& status,
                       const Splitters& splitters, std::vector<Order> orders,
                       const PlanOptions& options = {});

// The objects of one set by part, and within a part by key: part p begins at offsets[p], and the
// last offset is the number of all objects.
struct Arranged {
  Order order;
  std::vector<std::int64_t> offsets;
};

// Collective. The same for objects that are sorted by part already, whatever a part is.
EVENKEEL_API Plan plan_arranged(const Communicator& communicator, const Status& status,
                                std::vector<Arranged> sets, const PlanOptions& options = {});

// Where each part begins in an order along the curve, and the number of all objects. Local.
EVENKEEL_API std::vector<std::int64_t> offsets_of(const Order& order, const Splitters& splitters);

// Collective. Object i of set s goes to rank destinations[s][i]. Objects are placed by their old
// ranks, and within a rank in their old order. `status` as in cut(), `sets` as in PlanOptions.
EVENKEEL_API Plan plan_to(const Communicator& communicator, const Status& status,
                          std::span<const std::span<const int>> destinations,
                          std::span<const Set> sets = {});

// Collective. Sends the strays of each set to their owners. All other objects keep their places in
// memory, but for a few: places that strays leave are filled by those that arrive, by their old
// ranks and in their old order, and then by the objects from the end. Such a plan costs what the
// strays cost, not what the set costs. Sets with payloads cannot move by it. `status` as in cut().
EVENKEEL_API Plan plan_strays(const Communicator& communicator, const Status& status,
                              std::span<const Strays> strays, std::span<const Set> sets);

}  // namespace evenkeel
