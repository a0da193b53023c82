#include "field/numbers.hpp"
#include "migrate/groups.hpp"
#include "migrate/stage.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <limits>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* bonds_label = "evenkeel::migrate::bonds";

// The groups and pins of one set, by object, in the memory of the set's order. Each array is empty
// if it was not given.
struct Numbers {
  exec::Array<std::int64_t> groups, pins;

  Numbers(const Space& space, const Set& set) {
    const SetOptions& options = set.options();
    if (options.group.given()) groups = read_integers(space, options.group.layout(), set.count());
    if (options.pinned.given()) pins = read_integers(space, options.pinned.layout(), set.count());
  }
  bool are_given() const noexcept { return !groups.empty() || !pins.empty(); }
};

void require_order_of_each(std::span<const Set> sets, std::span<const Order> orders) {
  bool fit = sets.size() == orders.size();
  for (std::size_t s = 0; fit && s < sets.size(); ++s) {
    const std::int64_t count = sets[s].count();
    fit = orders[s].objects.size() == count && orders[s].keys.size() == count;
  }
  if (!fit)
    refuse("The orders do not hold all objects of the sets.",
           "Give for each set an order of all its objects.");
}

// --- Groups of this rank -------------------------------------------------------------------------

// For each place in an order, writes the data that one object contributes to its group.
struct WriteEntries {
  const std::int64_t *objects, *groups, *pins;  // `pins` is null if no pins are given
  const CurveKey* keys;
  int rank;
  Group* entries;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t object = objects[k];
    const int pin = pins != nullptr && pins[object] != 0 ? rank : Bonds::free;
    entries[k] = {groups[object], keys[k].value, pin, pin};
  }
};

exec::Array<Group> entries_of(const Space& space, std::span<const Numbers> numbers,
                              std::span<const Order> orders, int rank) {
  std::int64_t all = 0;
  for (const Numbers& of_set : numbers) all += of_set.groups.size();
  exec::Array<Group> entries(space, bonds_label, all);
  Group* next = entries.data();
  for (std::size_t s = 0; s < orders.size(); ++s) {
    const std::int64_t count = numbers[s].groups.size();
    const std::int64_t* const pins = numbers[s].pins.empty() ? nullptr : numbers[s].pins.data();
    exec::for_each(space, bonds_label, count,
                   WriteEntries{orders[s].objects.data(), numbers[s].groups.data(), pins,
                                orders[s].keys.data(), rank, next});
    next += count;
  }
  space.fence(bonds_label);
  return entries;
}

constexpr std::int64_t no_group = std::numeric_limits<std::int64_t>::max();

// Returns the id of a group that two ranks have pinned; for other groups, returns a number above
// all ids.
struct IdOfDispute {
  const Group* groups;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return groups[i].pinned != groups[i].pinned_too ? groups[i].id : no_group;
  }
};
struct IsOfId {
  const Group* groups;
  std::int64_t id;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return groups[i].id == id; }
};

// If several groups are pinned on two ranks, the Error names the one with the least id, so the
// Error does not depend on the order of groups.
void require_one_pin(const Space& space, const exec::Array<Group>& groups) {
  const std::int64_t id =
      exec::extremes<std::int64_t>(space, groups.size(), IdOfDispute{groups.data()}).least;
  if (id == no_group) return;
  const std::int64_t disputed = exec::first_that(space, groups.size(), IsOfId{groups.data(), id});
  Group group{};
  groups.fetch(disputed, {&group, 1});
  refuse("Group " + std::to_string(group.id) + " is pinned on rank " +
             std::to_string(group.pinned) + " and on rank " + std::to_string(group.pinned_too) +
             '.',
         "Pin objects of one group on one rank.");
}

// --- Results -------------------------------------------------------------------------------------

struct Hold {
  const std::int64_t *objects, *pins;  // `pins` is null if no pins are given
  const std::int64_t* group_of;        // by place in the order; null if there are no groups
  const Group* groups;
  int rank;
  CurveKey* keys;
  int* held;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t object = objects[k];
    int to = pins != nullptr && pins[object] != 0 ? rank : Bonds::free;
    if (group_of != nullptr && group_of[k] >= 0) {
      const Group& group = groups[group_of[k]];
      keys[k] = {group.key};
      if (group.pinned != Bonds::free) to = group.pinned;
    }
    held[object] = to;
  }
};

// Replaces the keys of grouped objects by the keys of their groups, and sorts the order by the new
// keys. Returns, by object, the rank on which its group or pin holds it, or Bonds::free.
exec::Array<int> hold(const Space& space, Order& order, const Numbers& numbers,
                      const std::int64_t* group_of, const Group* groups, int rank) {
  if (!numbers.are_given()) return {};
  const std::int64_t count = order.objects.size();
  exec::Array<int> held(space, bonds_label, count);
  const bool has_groups = !numbers.groups.empty();
  exec::for_each(
      space, bonds_label, count,
      Hold{order.objects.data(), numbers.pins.empty() ? nullptr : numbers.pins.data(),
           has_groups ? group_of : nullptr, groups, rank, order.keys.data(), held.data()});
  if (has_groups)
    exec::sort_pairs(space, reinterpret_cast<std::uint64_t*>(order.keys.data()),
                     reinterpret_cast<std::uint64_t*>(order.objects.data()), count);
  space.fence(bonds_label);
  return held;
}

}  // namespace

Bonds stages::hold_together(const Voters& voters, std::span<const Set> sets,
                            std::span<Order> orders) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::bind");
  const int rank = communicator.rank();
  std::vector<Numbers> numbers;
  std::optional<Space> space;
  JoinedGroups here;
  std::optional<Directory> directory;
  Status local = attempt(stage_name, [&] {
    voters.require_success();
    require_order_of_each(sets, orders);
    space = orders.empty() ? Space::where(MemoryKind::host) : orders.front().objects.space();
    for (const Set& set : sets) numbers.emplace_back(*space, set);
    here = join(*space, entries_of(*space, numbers, orders, rank));
    directory.emplace(communicator, *space, here.groups);
  });
  if (!directory) directory.emplace(communicator);
  directory->announce(stage_name, local);
  if (local.ok()) local = attempt(stage_name, [&] { directory->reserve(); });
  vote(communicator, local);

  local = attempt(stage_name, [&] { directory->ask(); });
  const Status known =
      attempt(stage_name, [&] { local.ok() ? directory->look_up() : directory->give_up(); });
  const Status answered = attempt(stage_name, [&] { directory->answer(); });
  Bonds bonds;
  const bool knows = local.ok() && known.ok() && answered.ok();
  const Status held = attempt(stage_name, [&] {
    if (!knows) return;
    const exec::Array<Group> groups = directory->take_groups();
    require_one_pin(*space, groups);
    const std::int64_t* group_of = here.group_of.data();
    for (std::size_t s = 0; s < sets.size(); ++s) {
      bonds.held.push_back(hold(*space, orders[s], numbers[s], group_of, groups.data(), rank));
      group_of += numbers[s].groups.size();
    }
  });
  for (const Status* next : {&known, &answered, &held})
    if (local.ok()) local = *next;
  vote(communicator, local);
  return bonds;
}

}  // namespace evenkeel
