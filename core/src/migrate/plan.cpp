#include "field/ranges.hpp"
#include "migrate/landing.hpp"
#include "migrate/leaving.hpp"
#include "migrate/sizes.hpp"
#include "migrate/stage.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* plan_label = "evenkeel::migrate::plan";

// Announces to another rank how many objects of a set it will get.
struct Announcement {
  std::int64_t set, objects;
};

// Sums over the plans of all ranks.
struct Balance {
  std::int64_t before = 0, after = 0, sent = 0, received = 0;
  // least number of objects on a rank after the move
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  // the rank that will have `fewest`
  int emptiest = 0;
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

// The keys of a set's objects in the order of SetPlan::objects, and the keys of the objects that
// arrive from other ranks.
struct Keys {
  exec::Array<CurveKey> leaving, arriving;
};

// --- Leaving objects -----------------------------------------------------------------------------

// With more parts than ranks, objects would be announced to ranks that do not exist.
void require_a_part_each(const Splitters& splitters, int ranks) {
  const std::int64_t parts = splitters.empty() ? 0 : std::ssize(splitters) - 1;
  if (parts != ranks)
    refuse("The splitters make " + std::to_string(parts) + " parts for " + std::to_string(ranks) +
               " ranks.",
           "Cut into as many parts as there are ranks.");
  if (!std::is_sorted(splitters.begin(), splitters.end()))
    refuse("A splitter is less than the one before it.",
           "Give the first key of each part in rising order, and the end of the last part.");
}

void require_list(const Order& order) {
  if (order.keys.size() != order.objects.size())
    refuse("An order has " + std::to_string(order.keys.size()) + " keys and " +
               std::to_string(order.objects.size()) + " objects.",
           "Give the key of each object.");
}

// Local. The sum over the plans of all ranks shows later if the offsets cover all objects.
void require_offsets(std::span<const std::int64_t> offsets, std::int64_t objects, int ranks) {
  const bool are_places = std::ssize(offsets) == ranks + 1 && offsets.front() >= 0 &&
                          offsets.back() <= objects &&
                          std::is_sorted(offsets.begin(), offsets.end());
  if (!are_places)
    refuse(std::to_string(offsets.size()) + " offsets do not divide " + std::to_string(objects) +
               " objects into " + std::to_string(ranks) + " parts.",
           "Give the offset of the first object of each part, and then the number of objects.");
}

// For each splitter, finds the first of the sorted keys that is not below it.
struct FirstInPart {
  const CurveKey* keys;
  std::int64_t count;
  const CurveKey* splitters;
  std::int64_t* firsts;
  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const std::uint64_t splitter = splitters[part].value;
    firsts[part] = count_before(count, [&](std::int64_t i) { return keys[i].value < splitter; });
  }
};

void require_strays(std::span<const Strays> strays, std::span<const Set> sets) {
  if (strays.size() != sets.size())
    refuse("Strays of " + std::to_string(strays.size()) +
               " sets were given, but the number of sets is " + std::to_string(sets.size()) + '.',
           "Give a list of strays for each set, an empty list for a set without strays.");
  for (const Set& set : sets)
    if (!set.payloads().empty())
      refuse("A move of strays alone cannot move payloads.", "Plan by parts or by ranks.");
}

// --- Arrivals ------------------------------------------------------------------------------------

// Call this for ranks in ascending order. After the ranks below this rank, the caller adds the
// objects that stay to set.count_after.
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

// The exchange of keys and payload sizes of objects. They are sent straight from list to list.
// Objects that stay are not in it.
struct KeysAndSizes {
  std::vector<Send> sends;
  std::vector<Receive> receives;
  bool is_on_device = false;

  template <class T>
  void add(const SetPlan& set, const exec::Array<T>& leaving, exec::Array<T>& arriving) {
    constexpr auto each = static_cast<std::int64_t>(sizeof(T));
    arriving = {leaving.space(), "evenkeel::migrate::told", set.count_after - set.staying};
    for (const Parcel& parcel : set.exports)
      sends.push_back(
          {parcel.rank, leaving.data() + parcel.first, parcel.objects * each, leaving.memory()});
    for (const Parcel& parcel : set.imports) {
      const std::int64_t first =
          parcel.first > set.first_kept ? parcel.first - set.staying : parcel.first;
      receives.push_back(
          {parcel.rank, arriving.data() + first, parcel.objects * each, arriving.memory()});
    }
    is_on_device = is_on_device || !leaving.is_on_host();
  }
};

Transfer transfer_of(const Communicator& communicator, const Plan& plan, std::span<Keys> keys,
                     std::span<Sizes> sizes) {
  KeysAndSizes told;
  for (std::size_t s = 0; s < keys.size(); ++s)
    told.add(plan.sets[s], keys[s].leaving, keys[s].arriving);
  for (Sizes& of_payload : sizes)
    told.add(plan.sets[of_payload.set], of_payload.leaving, of_payload.arriving);
  const Space space = Space::where(told.is_on_device ? MemoryKind::device : MemoryKind::host);
  return Transfer(space, communicator, told.sends, told.receives);
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
  for (const SetPlan& set : plan.sets) mine.fewest += set.unlisted;
  mine.emptiest = rank;
  return mine;
}

void require_conservation(const Balance& all) {
  if (all.before != all.after || all.sent != all.received)
    throw Error(ErrorKind::internal, Where{stage_name},
                "A plan would result in " + std::to_string(all.after) +
                    " objects where there are " + std::to_string(all.before) + '.',
                "Nothing has moved. Please report it.");
}

void find_places(Plan& plan, std::span<Keys> keys, std::span<Sizes> sizes) {
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    SetPlan& set = plan.sets[s];
    if (set.objects.is_on_host()) set.leaving = long_ranges(set.objects.span());
    if (keys.empty()) {
      land(set);
      continue;
    }
    land(set, keys[s].leaving, keys[s].arriving);
    keys[s] = {};
  }
  for (Sizes& told : sizes) {
    SetPlan& set = plan.sets[told.set];
    set.payloads.push_back(starts_of(set, told));
    told = {};
  }
}

// Completes plans that have only the objects that leave each rank. `keys` has the keys of the
// objects of each set, if objects have keys.
Plan complete(const Communicator& communicator, Status status, Plan result, std::vector<Keys> keys,
              std::span<const Set> sets) {
  std::vector<Note<Announcement>> notes;
  std::vector<Sizes> sizes;
  if (status.ok())
    status = attempt(stage_name, [&] {
      sizes = ask_sizes(sets, result);
      for (std::size_t s = 0; s < result.sets.size(); ++s)
        for (const Parcel& parcel : result.sets[s].exports)
          notes.push_back({parcel.rank, {static_cast<std::int64_t>(s), parcel.objects}});
    });
  const std::vector<Note<Announcement>> arrived = announce(communicator, stage_name, status, notes);
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
  if (landing.empty()) {
    std::int64_t place = 0;
    places.fetch(arrival, {&place, 1});
    return place;
  }
  const ObjectRange& range = *range_of(landing, arrival);
  return range.to + (arrival - range.from);
}

std::vector<std::int64_t> stages::offsets_of(const Order& order, const Splitters& splitters) {
  const Space space = order.keys.space();
  const exec::Reached<CurveKey> there(space, plan_label, splitters);
  const exec::Array<std::int64_t> firsts(space, plan_label, there.size());
  const FirstInPart find{order.keys.data(), order.keys.size(), there.data(), firsts.data()};
  exec::for_each(space, plan_label, there.size(), find);
  return firsts.on_host();
}

Plan stages::plan(const Voters& voters, const Splitters& splitters, std::vector<Order> orders,
                  const PlanOptions& options) {
  const Communicator& communicator = voters.communicator();
  std::vector<Arranged> sets;
  const Status local = attempt(stage_name, [&] {
    voters.require_success();
    require_a_part_each(splitters, communicator.size());
    for (Order& order : orders) {
      require_list(order);
      std::vector<std::int64_t> offsets = offsets_of(order, splitters);
      sets.push_back({std::move(order), std::move(offsets)});
    }
  });
  return plan_arranged({communicator, local}, std::move(sets), options);
}

Plan stages::plan_arranged(const Voters& voters, std::vector<Arranged> sets,
                           const PlanOptions& options) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::plan");
  Plan result;
  std::vector<Keys> keys;
  const RankOf self = {communicator.rank(), communicator.size()};
  const Status local = attempt(stage_name, [&] {
    voters.require_success();
    const std::vector<std::size_t> parts = parts_of_ranks(options.rank_of_part, self.ranks);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      auto& [order, offsets] = sets[s];
      require_list(order);
      require_offsets(offsets, order.objects.size(), self.ranks);
      const bool is_bound = s < options.held.size() && !options.held[s].empty();
      Leaving leaving =
          is_bound ? leaving_by_bonds(order, offsets, options.rank_of_part, options.held[s], self)
                   : leaving_by_part(std::move(order), offsets, parts, self);
      result.sets.push_back(std::move(leaving.set));
      keys.push_back({std::move(leaving.keys), {}});
    }
  });
  return complete(communicator, local, std::move(result), std::move(keys), options.sets);
}

Plan stages::plan_to(const Voters& voters, std::span<const std::span<const int>> destinations,
                     std::span<const Set> sets) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::plan");
  Plan result;
  const RankOf self = {communicator.rank(), communicator.size()};
  const Status local = attempt(stage_name, [&] {
    voters.require_success();
    const Space space = Space::where(MemoryKind::host);
    for (const std::span<const int> of_set : destinations)
      result.sets.push_back(leaving_by_rank(exec::Array<int>(space, plan_label, of_set), self).set);
  });
  return complete(communicator, local, std::move(result), {}, sets);
}

Plan stages::plan_strays(const Voters& voters, std::span<const Strays> strays,
                         std::span<const Set> sets) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::plan");
  Plan result;
  result.keeps_places = true;
  const RankOf self = {communicator.rank(), communicator.size()};
  const Status local = attempt(stage_name, [&] {
    voters.require_success();
    require_strays(strays, sets);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      SetPlan set = leaving_by_rank(strays[s].owners, self).set;
      set.objects =
          exec::chosen(set.objects.space(), plan_label, strays[s].objects.data(), set.objects);
      set.holes = strays[s].objects;
      set.unlisted = sets[s].count() - set.holes.size();
      result.sets.push_back(std::move(set));
    }
  });
  return complete(communicator, local, std::move(result), {}, {});
}

}  // namespace evenkeel
