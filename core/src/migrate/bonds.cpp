#include "field/numbers.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/migrate/bonds.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/migrate";

// What is known of a group: on a rank, and then on all.
struct Group {
  std::int64_t id;
  CurveKey key;
  int pinned = Bonds::free, pinned_too = Bonds::free;  // the least and the greatest rank
};

void join(Group& into, const Group& from) {
  into.key = std::min(into.key, from.key);
  if (from.pinned == Bonds::free) return;
  into.pinned = into.pinned == Bonds::free ? from.pinned : std::min(into.pinned, from.pinned);
  into.pinned_too = std::max(into.pinned_too, from.pinned_too);
}

// One of each, by number.
void join_equals(std::vector<Group>& groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.id < b.id; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].id == groups[last].id)
      join(groups[last], groups[i]);
    else
      groups[++last] = groups[i];
  }
  if (!groups.empty()) groups.resize(last + 1);
}

const Group& find(std::span<const Group> groups, std::int64_t id) {
  return *std::lower_bound(groups.begin(), groups.end(), id,
                           [](const Group& group, std::int64_t of) { return group.id < of; });
}

// The rank that looks after a group: spread evenly, whatever the numbers are (D. Lea and others'
// mixing function of SplittableRandom).
int keeper_of(std::int64_t id, int ranks) {
  auto bits = static_cast<std::uint64_t>(id);
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<int>((bits ^ (bits >> 31U)) % static_cast<std::uint64_t>(ranks));
}

// The numbers of one set, by object; empty where they are not given.
struct Numbers {
  std::vector<std::int64_t> groups, pins;
  std::int64_t group_of(std::size_t object) const { return groups.empty() ? -1 : groups[object]; }
  bool is_pinned(std::size_t object) const { return !pins.empty() && pins[object] != 0; }
  explicit Numbers(const Set& set) {
    const SetOptions& options = set.options();
    const auto read = [&](const FieldLayout& at) {
      return read_integers(Space::where(at.memory), at, set.count());
    };
    if (options.group.given()) groups = read(options.group.layout());
    if (options.pinned.given()) pins = read(options.pinned.layout());
  }
};

// Groups on their way to their keepers and back, each rank's side by side.
class Directory {
 public:
  // Local. Groups by keeper, then by number.
  Directory(const Communicator& communicator, std::span<const Group> groups)
      : communicator_(communicator), asked_(groups.begin(), groups.end()) {
    const int ranks = communicator.size();
    std::stable_sort(asked_.begin(), asked_.end(), [&](const Group& a, const Group& b) {
      return keeper_of(a.id, ranks) < keeper_of(b.id, ranks);
    });
    for (const Group& group : asked_) {
      const int keeper = keeper_of(group.id, ranks);
      if (notes_.empty() || notes_.back().rank != keeper) notes_.push_back({keeper, 0});
      ++notes_.back().content;
    }
  }

  // Collective.
  void announce(bool takes_part) {
    if (!takes_part) notes_.clear();
    askers_ = evenkeel::announce(communicator_, std::span<const Note<std::int64_t>>(notes_));
  }
  // Local. Room for what will be asked, and both transfers.
  void reserve() {
    std::int64_t kept = 0;
    for (const Note<std::int64_t>& note : askers_) kept += note.content;
    kept_.resize(static_cast<std::size_t>(kept));
    ask_.emplace(transfer(asked_, notes_, kept_, askers_));
    answer_.emplace(transfer(kept_, askers_, asked_, notes_));
  }
  // Collective.
  void ask() { ask_->run(); }
  // Local: all that is known of each group, to all who asked.
  void look_up() {
    std::vector<Group> all = kept_;
    join_equals(all);
    for (Group& group : kept_) group = find(all, group.id);
  }
  // Collective.
  void answer() { answer_->run(); }

  // By number.
  std::vector<Group> take_groups() {
    join_equals(asked_);
    return std::move(asked_);
  }

 private:
  Transfer transfer(std::vector<Group>& from, std::span<const Note<std::int64_t>> to_ranks,
                    std::vector<Group>& to, std::span<const Note<std::int64_t>> from_ranks) const {
    std::vector<Send> sends;
    std::vector<Receive> receives;
    constexpr auto each = static_cast<std::int64_t>(sizeof(Group));
    Group* next = from.data();
    for (const Note<std::int64_t>& note : to_ranks) {
      sends.push_back({note.rank, next, note.content * each});
      next += note.content;
    }
    next = to.data();
    for (const Note<std::int64_t>& note : from_ranks) {
      receives.push_back({note.rank, next, note.content * each});
      next += note.content;
    }
    return Transfer(Space::where(MemoryKind::host), communicator_, sends, receives);
  }

  const Communicator& communicator_;
  std::vector<Group> asked_, kept_;
  std::vector<Note<std::int64_t>> notes_, askers_;
  std::optional<Transfer> ask_, answer_;
};

void require_order_of_each(std::span<const Set> sets, std::span<const Order> orders) {
  bool fit = sets.size() == orders.size();
  for (std::size_t s = 0; fit && s < sets.size(); ++s) {
    const std::int64_t count = sets[s].count();
    fit = std::ssize(orders[s].objects) == count && std::ssize(orders[s].keys) == count;
  }
  if (!fit)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The orders are not of all objects of the sets.", "Give the order of each set.");
}

void require_one_pin(std::span<const Group> groups) {
  for (const Group& group : groups)
    if (group.pinned != group.pinned_too)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "Group " + std::to_string(group.id) + " is pinned on rank " +
                      std::to_string(group.pinned) + " and on rank " +
                      std::to_string(group.pinned_too) + '.',
                  "Pin objects of one group on one rank.");
}

std::vector<Group> groups_here(std::span<const Numbers> numbers, std::span<const Order> orders,
                               int rank) {
  std::vector<Group> groups;
  for (std::size_t s = 0; s < orders.size(); ++s)
    for (std::size_t k = 0; k < orders[s].objects.size() && !numbers[s].groups.empty(); ++k) {
      const auto object = static_cast<std::size_t>(orders[s].objects[k]);
      const std::int64_t id = numbers[s].group_of(object);
      if (id < 0) continue;
      const int pin = numbers[s].is_pinned(object) ? rank : Bonds::free;
      groups.push_back({id, orders[s].keys[k], pin, pin});
    }
  join_equals(groups);
  return groups;
}

void sort_again(Order& order) {
  exec::sort_pairs(
      Space::where(MemoryKind::host), reinterpret_cast<std::uint64_t*>(order.keys.data()),
      reinterpret_cast<std::uint64_t*>(order.objects.data()), std::ssize(order.objects));
}

// Keys and ranks of one set as its groups and pins want them.
std::vector<int> hold(Order& order, const Numbers& numbers, std::span<const Group> groups,
                      int rank) {
  if (numbers.groups.empty() && numbers.pins.empty()) return {};
  std::vector<int> held(order.objects.size(), Bonds::free);
  for (std::size_t k = 0; k < order.objects.size(); ++k) {
    const auto object = static_cast<std::size_t>(order.objects[k]);
    const std::int64_t id = numbers.group_of(object);
    if (numbers.is_pinned(object)) held[object] = rank;
    if (id < 0) continue;
    const Group& group = find(groups, id);
    order.keys[k] = group.key;
    if (group.pinned != Bonds::free) held[object] = group.pinned;
  }
  if (!numbers.groups.empty()) sort_again(order);
  return held;
}

}  // namespace

Bonds hold_together(const Communicator& communicator, const Status& status,
                    std::span<const Set> sets, std::span<Order> orders) {
  const int rank = communicator.rank();
  std::vector<Numbers> numbers;
  std::optional<Directory> directory;
  Status local = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    require_order_of_each(sets, orders);
    for (const Set& set : sets) numbers.emplace_back(set);
    directory.emplace(communicator, groups_here(numbers, orders, rank));
  });
  if (!directory) directory.emplace(communicator, std::span<const Group>());
  directory->announce(local.ok());
  if (local.ok()) local = attempt(stage_name, [&] { directory->reserve(); });
  vote(communicator, local);

  local = attempt(stage_name, [&] { directory->ask(); });
  const Status known = attempt(stage_name, [&] { directory->look_up(); });
  const Status answered = attempt(stage_name, [&] { directory->answer(); });
  Bonds bonds;
  const bool knows = local.ok() && known.ok() && answered.ok();
  const Status held = attempt(stage_name, [&] {
    if (!knows) return;
    const std::vector<Group> groups = directory->take_groups();
    require_one_pin(groups);
    for (std::size_t s = 0; s < sets.size(); ++s)
      bonds.held.push_back(hold(orders[s], numbers[s], groups, rank));
  });
  for (const Status* next : {&known, &answered, &held})
    if (local.ok()) local = *next;
  vote(communicator, local);
  return bonds;
}

}  // namespace evenkeel
