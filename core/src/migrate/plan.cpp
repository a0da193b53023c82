#include "field/ranges.hpp"
#include "migrate/landing.hpp"
#include "payload/call.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/migrate";

// What one rank tells another: so many objects of this set will come.
struct Announcement {
  std::int64_t set, objects;
};

// What the ranks' plans make together.
struct Balance {
  std::int64_t before = 0, after = 0, sent = 0, received = 0;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();  // objects after, on a rank
  int emptiest = 0;                                                // that rank
};

void combine(Balance& into, const Balance& from) noexcept {
  into.before += from.before;
  into.after += from.after;
  into.sent += from.sent;
  into.received += from.received;
  if (std::pair(from.fewest, from.emptiest) < std::pair(into.fewest, into.emptiest)) {
    into.fewest = from.fewest;
    into.emptiest = from.emptiest;
  }
}

// The keys of a set's objects, in the order of SetPlan::objects, and of those that arrive.
struct Keys {
  std::vector<CurveKey> leaving, arriving;
};

// The same of the sizes of one of its payloads.
struct Sizes {
  std::size_t set;
  std::vector<std::int64_t> leaving, arriving;
};

// --- What leaves ---------------------------------------------------------------------------------

// Others would be announced to ranks that are not there.
void require_a_part_each(const Splitters& splitters, int ranks) {
  const std::int64_t parts = splitters.empty() ? 0 : std::ssize(splitters) - 1;
  if (parts != ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The splitters make " + std::to_string(parts) + " parts for " +
                    std::to_string(ranks) + " ranks.",
                "Cut into as many parts as there are ranks.");
  if (!std::is_sorted(splitters.begin(), splitters.end()))
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The splitters do not rise.",
                "Give the first key of each part, and the end of the last.");
}

void require_list(const Order& order) {
  if (order.keys.size() != order.objects.size())
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "An order has " + std::to_string(order.keys.size()) + " keys and " +
                    std::to_string(order.objects.size()) + " objects.",
                "Give the key of each object.");
}

// By rank.
std::vector<std::size_t> parts_of_ranks(std::span<const int> rank_of_part, int ranks) {
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> parts(static_cast<std::size_t>(ranks));
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  if (rank_of_part.empty()) return parts;
  std::fill(parts.begin(), parts.end(), none);
  for (std::size_t p = 0; p < rank_of_part.size() && p < parts.size(); ++p)
    if (rank_of_part[p] >= 0 && rank_of_part[p] < ranks)
      parts[static_cast<std::size_t>(rank_of_part[p])] = p;
  const bool each = std::find(parts.begin(), parts.end(), none) == parts.end();
  if (!each || std::ssize(rank_of_part) != ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The ranks do not own one part each.",
                "Name each rank once, or none.");
  return parts;
}

void add_destination(SetPlan& set, int to, std::int64_t first, std::int64_t objects, int rank) {
  if (to == rank) {
    set.staying = objects;
    set.first_staying = first;
  } else if (objects > 0) {
    set.exports.push_back({to, first, objects});
  }
}

SetPlan by_splitters(const Order& order, const Splitters& splitters,
                     std::span<const std::size_t> part_of_rank, int rank) {
  SetPlan set;
  std::vector<std::int64_t> offsets;
  offsets.reserve(splitters.size());
  for (const CurveKey splitter : splitters)
    offsets.push_back(std::lower_bound(order.keys.begin(), order.keys.end(), splitter) -
                      order.keys.begin());
  for (std::size_t to = 0; to < part_of_rank.size(); ++to) {
    const std::size_t p = part_of_rank[to];
    add_destination(set, static_cast<int>(to), offsets[p], offsets[p + 1] - offsets[p], rank);
  }
  return set;
}

void require_rank(int rank, std::size_t object, int ranks) {
  if (rank < 0 || rank >= ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "Object " + std::to_string(object) + " would go to rank " + std::to_string(rank) +
                    " of " + std::to_string(ranks) + '.',
                "Name ranks from 0 to " + std::to_string(ranks - 1) + '.');
}

// The rank of each object, in the order given.
std::vector<int> ranks_of(const Order& order, const SetPlan& by_key, std::span<const int> held,
                          int ranks_of_all, int rank) {
  if (held.size() != order.objects.size())
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "There are " + std::to_string(held.size()) + " ranks to hold " +
                    std::to_string(order.objects.size()) + " objects.",
                "Give a rank for each object, or Bonds::free.");
  std::vector<int> ranks(order.objects.size(), rank);
  for (const Parcel& parcel : by_key.exports)
    std::fill_n(ranks.begin() + parcel.first, parcel.objects, parcel.rank);
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const auto object = static_cast<std::size_t>(order.objects[k]);
    if (held[object] == Bonds::free) continue;
    require_rank(held[object], object, ranks_of_all);
    ranks[k] = held[object];
  }
  return ranks;
}

SetPlan by_destinations(std::span<const int> destinations, int ranks, int rank) {
  for (std::size_t i = 0; i < destinations.size(); ++i) require_rank(destinations[i], i, ranks);
  SetPlan set;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(ranks) + 1);
  for (const int to : destinations) ++offsets[static_cast<std::size_t>(to) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  for (std::size_t to = 0; to + 1 < offsets.size(); ++to)
    add_destination(set, static_cast<int>(to), offsets[to], offsets[to + 1] - offsets[to], rank);
  set.objects.resize(destinations.size());
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    std::int64_t& next = offsets[static_cast<std::size_t>(destinations[i])];
    set.objects[static_cast<std::size_t>(next++)] = static_cast<std::int64_t>(i);
  }
  return set;
}

// Some objects go elsewhere than their keys say: those of a rank are still in order.
SetPlan by_bonds(Order& order, const SetPlan& by_key, std::span<const int> held, int ranks,
                 int rank) {
  SetPlan set = by_destinations(ranks_of(order, by_key, held, ranks, rank), ranks, rank);
  std::vector<CurveKey> keys;
  keys.reserve(set.objects.size());
  for (std::int64_t& place : set.objects) {
    keys.push_back(order.keys[static_cast<std::size_t>(place)]);
    place = order.objects[static_cast<std::size_t>(place)];
  }
  order.keys = std::move(keys);
  return set;
}

// --- What arrives --------------------------------------------------------------------------------

// From one rank after the other, upwards; what stays comes where this rank's turn is.
void add_import(SetPlan& set, int from, std::int64_t objects) {
  set.imports.push_back({from, set.count_after, objects});
  set.count_after += objects;
}

void add_imports(std::span<const Note<Announcement>> notes, int rank, Plan& plan) {
  const auto stay = [&] {
    for (SetPlan& set : plan.sets) {
      set.first_kept = set.count_after;
      set.count_after += set.staying;
    }
  };
  bool passed = false;
  for (const Note<Announcement>& note : notes) {
    if (!passed && note.rank > rank) {
      stay();
      passed = true;
    }
    add_import(plan.sets.at(static_cast<std::size_t>(note.content.set)), note.rank,
               note.content.objects);
  }
  if (!passed) stay();
}

// What each object tells beside its fields, straight from list to list.
struct Told {
  std::vector<Send> sends;
  std::vector<Receive> receives;

  template <class T>
  void add(const SetPlan& set, const std::vector<T>& leaving, std::vector<T>& arriving) {
    constexpr auto each = static_cast<std::int64_t>(sizeof(T));
    arriving.resize(static_cast<std::size_t>(set.count_after));
    for (const Parcel& parcel : set.exports)
      sends.push_back({parcel.rank, leaving.data() + parcel.first, parcel.objects * each});
    for (const Parcel& parcel : set.imports)
      receives.push_back({parcel.rank, arriving.data() + parcel.first, parcel.objects * each});
    std::copy_n(leaving.begin() + set.first_staying, set.staying,
                arriving.begin() + set.first_kept);
  }
};

Transfer transfer_of(const Communicator& communicator, const Plan& plan, std::span<Keys> keys,
                     std::span<Sizes> sizes) {
  Told told;
  for (std::size_t s = 0; s < keys.size(); ++s)
    told.add(plan.sets[s], keys[s].leaving, keys[s].arriving);
  for (Sizes& of_payload : sizes)
    told.add(plan.sets[of_payload.set], of_payload.leaving, of_payload.arriving);
  return Transfer(Space::where(MemoryKind::host), communicator, told.sends, told.receives);
}

// --- Payloads ------------------------------------------------------------------------------------

void require_sizes(const Payload& payload, std::span<const std::int64_t> sizes) {
  const std::int64_t unit = payload.unit_bytes();
  if (unit < 1)
    throw Error(
        ErrorKind::application, Where{stage_name},
        std::string("'") + payload.label() + "' has units of " + std::to_string(unit) + " bytes.",
        "Units have one byte at least; a View must have been given extents.");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0 || sizes[i] % unit != 0)
      throw Error(ErrorKind::application, Where{stage_name},
                  std::string("'") + payload.label() + "' says that object " + std::to_string(i) +
                      " has " + std::to_string(sizes[i]) + " bytes.",
                  "Sizes are multiples of " + std::to_string(unit) + " and not negative.");
}

void ask_sizes(std::span<const Set> sets, const Plan& plan, std::vector<Sizes>& into) {
  bool fit = sets.empty() || sets.size() == plan.sets.size();
  for (std::size_t s = 0; fit && s < sets.size(); ++s)
    fit = sets[s].count() == plan.sets[s].count_before();
  if (!fit)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The sets of a plan have other objects than are to be planned for.",
                "Give the sets whose orders or destinations these are.");
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (const auto& payload : sets[s].payloads()) {
      const SetPlan& set = plan.sets[s];
      std::vector<std::int64_t> sizes(static_cast<std::size_t>(set.count_before()));
      call_payload([&] { payload->write_sizes(sizes); });
      require_sizes(*payload, sizes);
      Sizes& told = into.emplace_back(Sizes{s, {}, {}});
      told.leaving.reserve(sizes.size());
      for (const std::int64_t object : set.objects)
        told.leaving.push_back(sizes[static_cast<std::size_t>(object)]);
    }
}

std::vector<std::int64_t> starts_of(std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> starts(sizes.size() + 1);
  std::inclusive_scan(sizes.begin(), sizes.end(), starts.begin() + 1);
  return starts;
}

Balance balance_of(const Plan& plan, int rank) {
  Balance mine;
  for (const SetPlan& set : plan.sets) {
    mine.before += set.count_before();
    mine.after += set.count_after;
    for (const Parcel& parcel : set.exports) mine.sent += parcel.objects;
    for (const Parcel& parcel : set.imports) mine.received += parcel.objects;
  }
  mine.fewest = mine.after;
  mine.emptiest = rank;
  return mine;
}

void require_conservation(const Balance& all) {
  if (all.before != all.after || all.sent != all.received)
    throw Error(ErrorKind::internal, Where{stage_name},
                "A plan would make " + std::to_string(all.after) + " objects of " +
                    std::to_string(all.before) + '.',
                "Nothing has moved. Please report it.");
}

void find_places(Plan& plan, std::span<Keys> keys, std::span<Sizes> sizes) {
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    SetPlan& set = plan.sets[s];
    set.leaving = long_ranges(set.objects);
    if (keys.empty()) {
      land(set);
      continue;
    }
    keys[s].leaving = {};
    land(set, keys[s].arriving);
    keys[s].arriving = {};
  }
  for (const Sizes& told : sizes)
    plan.sets[told.set].payloads.push_back({starts_of(told.leaving), starts_of(told.arriving)});
}

// From what leaves each rank to the whole plan. `keys` of each set, where objects have them.
Plan complete(const Communicator& communicator, Status status, Plan result, std::vector<Keys> keys,
              std::span<const Set> sets) {
  std::vector<Note<Announcement>> notes;
  std::vector<Sizes> sizes;
  if (status.ok())
    status = attempt(stage_name, [&] {
      ask_sizes(sets, result, sizes);
      for (std::size_t s = 0; s < result.sets.size(); ++s)
        for (const Parcel& parcel : result.sets[s].exports)
          notes.push_back({parcel.rank, {static_cast<std::int64_t>(s), parcel.objects}});
    });
  if (!status.ok()) notes.clear();
  const auto arrived = announce(communicator, std::span<const Note<Announcement>>(notes));
  Balance mine;
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      add_imports(arrived, communicator.rank(), result);
      mine = balance_of(result, communicator.rank());
      transfer.emplace(transfer_of(communicator, result, keys, sizes));
    });
  const Balance all = vote<&combine>(communicator, status, mine);
  require_conservation(all);
  result.objects_moved = all.sent;
  result.fewest_objects = all.fewest;
  result.emptiest_rank = all.emptiest;

  status = attempt(stage_name, [&] { transfer->run(); });
  if (status.ok()) status = attempt(stage_name, [&] { find_places(result, keys, sizes); });
  vote(communicator, status);
  return result;
}

}  // namespace

std::int64_t SetPlan::place_of(std::int64_t arrival) const {
  if (landing.empty()) return places[static_cast<std::size_t>(arrival)];
  const auto after =
      std::upper_bound(landing.begin(), landing.end(), arrival,
                       [](std::int64_t a, const ObjectRange& range) { return a < range.from; });
  const ObjectRange& range = *std::prev(after);
  return range.to + (arrival - range.from);
}

Plan plan(const Communicator& communicator, const Status& status, const Splitters& splitters,
          std::vector<Order> orders, const PlanOptions& options) {
  Plan result;
  std::vector<Keys> keys;
  const Status local = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    require_a_part_each(splitters, communicator.size());
    const std::vector<std::size_t> parts =
        parts_of_ranks(options.rank_of_part, communicator.size());
    for (std::size_t s = 0; s < orders.size(); ++s) {
      Order& order = orders[s];
      require_list(order);
      SetPlan set = by_splitters(order, splitters, parts, communicator.rank());
      if (s < options.held.size() && !options.held[s].empty())
        set = by_bonds(order, set, options.held[s], communicator.size(), communicator.rank());
      else
        set.objects = std::move(order.objects);
      result.sets.push_back(std::move(set));
      keys.push_back({std::move(order.keys), {}});
    }
  });
  return complete(communicator, local, std::move(result), std::move(keys), options.sets);
}

Plan plan_to(const Communicator& communicator, const Status& status,
             std::span<const std::span<const int>> destinations, std::span<const Set> sets) {
  Plan result;
  const Status local = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    for (const std::span<const int> of_set : destinations)
      result.sets.push_back(by_destinations(of_set, communicator.size(), communicator.rank()));
  });
  return complete(communicator, local, std::move(result), {}, sets);
}

}  // namespace evenkeel
