#include "migrate/groups.hpp"

#include "by_number.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/migrate/bonds.hpp>

#include <limits>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::migrate::groups";

// --- Joining -------------------------------------------------------------------------------------

// Numbers below 0 come last.
struct WriteIds {
  const Group* entries;
  std::uint64_t* ids;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    ids[i] = static_cast<std::uint64_t>(entries[i].id);
    numbers[i] = i;
  }
};

// 1 where a group begins among sorted numbers; 0 for the rest, and behind the last.
struct WriteBegins {
  const std::uint64_t* ids;
  std::int64_t count;
  std::int64_t* begins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const bool is_one = i < count && static_cast<std::int64_t>(ids[i]) >= 0;
    begins[i] = is_one && (i == 0 || ids[i] != ids[i - 1]) ? 1 : 0;
  }
};

// begins[i + 1] - 1 is the group of the i-th entry by number, if it has one.
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
    if (group >= 0 && begins[i] == group)  // the first of its group
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

// --- Who looks after a group ---------------------------------------------------------------------

// Spreads ids evenly over ranks, whatever they are (the mixing function of SplittableRandom by D.
// Lea and others).
KOKKOS_INLINE_FUNCTION std::uint32_t keeper_of(std::int64_t id, int ranks) {
  auto bits = static_cast<std::uint64_t>(id);
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<std::uint32_t>((bits ^ (bits >> 31U)) % static_cast<std::uint64_t>(ranks));
}

struct WriteKeepers {
  const Group* groups;
  int ranks;
  std::uint32_t* keepers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    keepers[i] = keeper_of(groups[i].id, ranks);
  }
};

// Sorts groups by keeper, and notes the place of each.
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

// groups[i] = known[number[i]].
struct LookUp {
  const Group* known;
  const std::int64_t* number;
  Group* groups;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { groups[i] = known[number[i]]; }
};

}  // namespace

JoinedGroups join(const Space& space, const exec::Array<Group>& entries) {
  const std::int64_t count = entries.size();
  JoinedGroups joined;
  const exec::Array<std::uint64_t> ids(space, label, count);
  const exec::Array<std::int64_t> numbers(space, label, count), begins(space, label, count + 1);
  joined.group_of = {space, label, count};
  exec::for_each(space, label, count, WriteIds{entries.data(), ids.data(), numbers.data()});
  exec::sort_pairs(space, ids.data(), reinterpret_cast<std::uint64_t*>(numbers.data()), count);
  exec::for_each(space, label, count + 1, WriteBegins{ids.data(), count, begins.data()});
  const std::int64_t groups = exec::sum_up(begins);
  joined.groups = {space, label, groups};
  exec::for_each(space, label, count,
                 WriteGroups{ids.data(), begins.data(), numbers.data(), joined.group_of.data(),
                             joined.groups.data()});
  exec::for_each(space, label, count,
                 AddEntries{entries.data(), joined.group_of.data(), joined.groups.data()});
  exec::for_each(space, label, groups, FreeThePinless{joined.groups.data()});
  space.fence(label);
  return joined;
}

Directory::Directory(const Communicator& communicator, const Space& space,
                     const exec::Array<Group>& groups)
    : communicator_(communicator), space_(space) {
  const int ranks = communicator.size();
  const std::int64_t count = groups.size();
  const exec::Array<std::uint32_t> keepers(space, label, count);
  asked_ = {space, label, count};
  place_ = {space, label, count};
  exec::for_each(space, label, count, WriteKeepers{groups.data(), ranks, keepers.data()});
  const auto [numbers, offsets] = by_number(space, keepers, ranks);
  exec::for_each(space, label, count,
                 Arrange{groups.data(), numbers.data(), asked_.data(), place_.data()});
  space.fence(label);
  for (int keeper = 0; keeper < ranks; ++keeper) {
    const auto k = static_cast<std::size_t>(keeper);
    if (offsets[k] < offsets[k + 1]) notes_.push_back({keeper, offsets[k + 1] - offsets[k]});
  }
}

void Directory::announce(bool takes_part) {
  if (!takes_part) notes_.clear();
  askers_ = evenkeel::announce(communicator_, std::span<const Note<std::int64_t>>(notes_));
}

void Directory::reserve() {
  std::int64_t kept = 0;
  for (const Note<std::int64_t>& note : askers_) kept += note.content;
  kept_ = {*space_, label, kept};
  ask_.emplace(transfer(asked_, notes_, kept_, askers_));
  answer_.emplace(transfer(kept_, askers_, asked_, notes_));
}

void Directory::look_up() {
  const JoinedGroups all = join(*space_, kept_);
  exec::for_each(*space_, label, kept_.size(),
                 LookUp{all.groups.data(), all.group_of.data(), kept_.data()});
  space_->fence(label);
}

exec::Array<Group> Directory::take_groups() const {
  exec::Array<Group> groups(*space_, label, asked_.size());
  exec::for_each(*space_, label, groups.size(),
                 LookUp{asked_.data(), place_.data(), groups.data()});
  space_->fence(label);
  return groups;
}

Transfer Directory::transfer(const exec::Array<Group>& from,
                             std::span<const Note<std::int64_t>> to_ranks,
                             const exec::Array<Group>& to,
                             std::span<const Note<std::int64_t>> from_ranks) const {
  std::vector<Send> sends;
  std::vector<Receive> receives;
  constexpr auto each = static_cast<std::int64_t>(sizeof(Group));
  Group* next = from.data();
  for (const Note<std::int64_t>& note : to_ranks) {
    sends.push_back({note.rank, next, note.content * each, from.memory()});
    next += note.content;
  }
  next = to.data();
  for (const Note<std::int64_t>& note : from_ranks) {
    receives.push_back({note.rank, next, note.content * each, to.memory()});
    next += note.content;
  }
  return Transfer(*space_, communicator_, sends, receives);
}

}  // namespace evenkeel
