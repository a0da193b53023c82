#include "migrate/groups.hpp"

#include "order/sort_by_number.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <limits>

namespace evenkeel {

namespace {

constexpr const char* groups_label = "evenkeel::migrate::groups";

// --- Joining -------------------------------------------------------------------------------------

// Writes ids as unsigned numbers, so that sorting puts ids below 0 at the end.
struct WriteIds {
  const Group* entries;
  std::uint64_t* ids;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    ids[i] = static_cast<std::uint64_t>(entries[i].id);
    numbers[i] = i;
  }
};

// Among sorted ids, writes 1 where a group begins, and 0 elsewhere and after the last id.
struct WriteBegins {
  const std::uint64_t* ids;
  std::int64_t count;
  std::int64_t* begins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const bool is_one = i < count && static_cast<std::int64_t>(ids[i]) >= 0;
    begins[i] = is_one && (i == 0 || ids[i] != ids[i - 1]) ? 1 : 0;
  }
};

// `begins` is now summed up: begins[i + 1] - 1 is the group of the i-th entry in the order of ids,
// if its id is not below 0.
struct WriteGroups {
  static constexpr int no_rank_yet = std::numeric_limits<int>::max();
  const std::uint64_t* ids;
  const std::int64_t *begins, *numbers;
  std::int64_t* group_of;
  Group* groups;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto id = static_cast<std::int64_t>(ids[i]);
    const std::int64_t group = id < 0 ? -1 : begins[i + 1] - 1;
    group_of[numbers[i]] = group;
    if (group >= 0 && begins[i] == group)  // the first entry of its group
      groups[group] = {id, ~std::uint64_t{0}, no_rank_yet, Bonds::free};
  }
};

struct AddEntries {
  const Group* entries;
  const std::int64_t* group_of;
  Group* groups;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (group_of[i] < 0) return;
    Group& group = groups[group_of[i]];
    Kokkos::atomic_fetch_min(&group.key, entries[i].key);
    if (entries[i].pinned == Bonds::free) return;
    Kokkos::atomic_fetch_min(&group.pinned, entries[i].pinned);
    Kokkos::atomic_fetch_max(&group.pinned_too, entries[i].pinned_too);
  }
};

struct FreeThePinless {
  Group* groups;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (groups[i].pinned_too == Bonds::free) groups[i].pinned = Bonds::free;
  }
};

// --- The keepers of groups -----------------------------------------------------------------------

struct WriteGroupKeepers {
  const Group* groups;
  int ranks;
  std::uint32_t* keepers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t bits = exec::mixed(static_cast<std::uint64_t>(groups[i].id));
    keepers[i] = static_cast<std::uint32_t>(bits % static_cast<std::uint64_t>(ranks));
  }
};

// Sorts groups by their keepers, and notes the new place of each group.
struct Arrange {
  const Group* groups;
  const std::int64_t* numbers;
  Group* arranged;
  std::int64_t* place;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    arranged[i] = groups[numbers[i]];
    place[numbers[i]] = i;
  }
};

}  // namespace

JoinedGroups join(const Space& space, const exec::Array<Group>& entries) {
  const std::int64_t count = entries.size();
  JoinedGroups joined;
  const exec::Array<std::uint64_t> ids(space, groups_label, count);
  const exec::Array<std::int64_t> numbers(space, groups_label, count),
      begins(space, groups_label, count + 1);
  joined.group_of = {space, groups_label, count};
  exec::for_each(space, groups_label, count, WriteIds{entries.data(), ids.data(), numbers.data()});
  exec::sort_pairs(space, ids.data(), reinterpret_cast<std::uint64_t*>(numbers.data()), count);
  exec::for_each(space, groups_label, count + 1, WriteBegins{ids.data(), count, begins.data()});
  const std::int64_t groups = exec::sum_up(begins);
  joined.groups = {space, groups_label, groups};
  exec::for_each(space, groups_label, count,
                 WriteGroups{ids.data(), begins.data(), numbers.data(), joined.group_of.data(),
                             joined.groups.data()});
  exec::for_each(space, groups_label, count,
                 AddEntries{entries.data(), joined.group_of.data(), joined.groups.data()});
  exec::for_each(space, groups_label, groups, FreeThePinless{joined.groups.data()});
  space.fence(groups_label);
  return joined;
}

Directory::Directory(const Communicator& communicator, const Space& space,
                     const exec::Array<Group>& groups)
    : communicator_(communicator), space_(space) {
  const int ranks = communicator.size();
  const std::int64_t count = groups.size();
  const exec::Array<std::uint32_t> keepers(space, groups_label, count);
  asked_ = {space, groups_label, count};
  place_ = {space, groups_label, count};
  exec::for_each(space, groups_label, count,
                 WriteGroupKeepers{groups.data(), ranks, keepers.data()});
  const auto [numbers, offsets] = sort_by_number(space, keepers, ranks);
  exec::for_each(space, groups_label, count,
                 Arrange{groups.data(), numbers.data(), asked_.data(), place_.data()});
  space.fence(groups_label);
  notes_ = counts_to_ranks(offsets);
}

void Directory::announce(const char* stage, Status& ready) {
  askers_ = evenkeel::announce(communicator_, stage, ready, notes_);
}

void Directory::reserve() {
  std::int64_t kept = 0;
  for (const Note<std::int64_t>& note : askers_) kept += note.content;
  kept_ = {*space_, groups_label, kept};
  ask_.emplace(transfer_between(*space_, communicator_, asked_, notes_, kept_, askers_));
  answer_.emplace(transfer_between(*space_, communicator_, kept_, askers_, asked_, notes_));
}

void Directory::look_up() {
  const JoinedGroups all = join(*space_, kept_);
  exec::for_each(*space_, groups_label, kept_.size(),
                 exec::Pick{all.groups.data(), all.group_of.data(), kept_.data()});
  space_->fence(groups_label);
}

void Directory::give_up() {
  exec::for_each(*space_, groups_label, kept_.size(),
                 exec::Fill<Group>{kept_.data(), {0, 0, Bonds::free, Bonds::free}});
  space_->fence(groups_label);
}

exec::Array<Group> Directory::take_groups() const {
  return exec::chosen(*space_, groups_label, asked_.data(), place_);
}

}  // namespace evenkeel
