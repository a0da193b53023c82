// Each id has a keeper, a rank that follows from the id. Ranks register ids at their keepers, and
// ask the keepers for locations. Both use the same routes: ids are sorted by keeper, and each
// keeper gets one message.

#include "directory/ids.hpp"
#include "directory/stage.hpp"
#include "order/bisect.hpp"
#include "order/sort_by_number.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/directory.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* directory_label = "evenkeel::directory";

// --- Keepers -------------------------------------------------------------------------------------

struct WriteKeepers {
  const std::uint64_t* ids;
  int ranks;
  std::uint32_t* keepers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    keepers[i] =
        static_cast<std::uint32_t>(exec::mixed(ids[i]) % static_cast<std::uint64_t>(ranks));
  }
};

// The ids of this rank, sorted by keeper.
struct Routes {
  exec::Array<std::int64_t> places;  // for each sorted id: its place in the given list
  std::vector<Note<std::int64_t>> keepers;
};

Routes routes_of(const Space& space, const exec::Array<std::uint64_t>& ids, int ranks) {
  const exec::Array<std::uint32_t> keepers(space, directory_label, ids.size());
  exec::for_each(space, directory_label, ids.size(),
                 WriteKeepers{ids.data(), ranks, keepers.data()});
  SortedByNumber by_keeper = sort_by_number(space, keepers, ranks);
  return {std::move(by_keeper.places), counts_to_ranks(by_keeper.offsets)};
}

std::int64_t sum_of(const std::vector<Note<std::int64_t>>& notes) {
  std::int64_t sum = 0;
  for (const Note<std::int64_t>& note : notes) sum += note.content;
  return sum;
}

// --- The kept ids --------------------------------------------------------------------------------

// An id that a rank has, and the slot of the id on that rank.
struct IdClaim {
  std::uint64_t id;
  std::int64_t slot;
};

struct WriteClaims {
  const std::uint64_t* ids;
  const std::int64_t* places;
  IdClaim* claims;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { claims[i] = {ids[places[i]], places[i]}; }
};

// Writes the location of each id. Claims are sorted by the rank that makes them.
struct WriteLocations {
  const IdClaim* claims;
  const std::int64_t* firsts;  // by claiming rank: its first claim
  const int* ranks;
  std::int64_t claimants;
  IdDirectory::Location* locations;
  std::uint64_t* ids;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    locations[i].rank = ranks[part_at(firsts, claimants, i)];
    locations[i].slot = claims[i].slot;
    ids[i] = claims[i].id;
  }
};

struct IsAgain {
  PlaceOfId place_of;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return place_of(place_of.ids[i]) != i; }
};

// The ids that this rank keeps, with their locations.
struct KeptIds {
  exec::Array<std::uint64_t> ids;
  exec::Array<std::int64_t> slots;
  exec::Array<IdDirectory::Location> locations;

  PlaceOfId place_of() const { return IdTable::of(ids, slots); }
};

KeptIds kept_of(const Space& space, const exec::Array<IdClaim>& claims,
                const std::vector<Note<std::int64_t>>& claimants) {
  const std::int64_t count = claims.size();
  std::vector<std::int64_t> firsts;
  std::vector<int> ranks;
  firsts.reserve(claimants.size());
  ranks.reserve(claimants.size());
  std::int64_t first = 0;
  for (const Note<std::int64_t>& note : claimants) {
    firsts.push_back(first);
    ranks.push_back(note.rank);
    first += note.content;
  }
  const exec::Reached<std::int64_t> firsts_there(space, directory_label, firsts);
  const exec::Reached<int> ranks_there(space, directory_label, ranks);
  KeptIds kept{{space, directory_label, count}, {}, {space, directory_label, count}};
  exec::for_each(space, directory_label, count,
                 WriteLocations{claims.data(), firsts_there.data(), ranks_there.data(),
                                std::ssize(ranks), kept.locations.data(), kept.ids.data()});
  kept.slots = IdTable::slots_for(space, kept.ids);
  return kept;
}

void require_distinct(const Space& space, const KeptIds& kept) {
  const std::int64_t distinct = exec::sum<std::int64_t>(
      space, kept.slots.size(), exec::IsOther{kept.slots.data(), PlaceOfId::none});
  if (distinct == kept.ids.size()) return;
  const std::int64_t again = exec::first_that(space, kept.ids.size(), IsAgain{kept.place_of()});
  std::uint64_t id = 0;
  kept.ids.fetch(again, {&id, 1});
  const std::vector<std::uint64_t> ids = kept.ids.on_host();
  const auto before = std::find(ids.begin(), ids.end(), id) - ids.begin();
  const auto object = [&](std::int64_t place) {
    IdDirectory::Location at;
    kept.locations.fetch(place, {&at, 1});
    return "object " + std::to_string(at.slot) + " of rank " + std::to_string(at.rank);
  };
  refuse("Id " + std::to_string(static_cast<std::int64_t>(id)) + " belongs to " + object(before) +
             " and to " + object(again) + '.',
         "Give each object an id of its own.");
}

// --- Questions -----------------------------------------------------------------------------------

struct WriteAnswers {
  PlaceOfId place_of;
  const IdDirectory::Location* locations;
  const std::uint64_t* asked;
  IdDirectory::Location* answers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t place = place_of(asked[i]);
    answers[i] = place == PlaceOfId::none ? IdDirectory::Location{} : locations[place];
  }
};

void vote_first(const Communicator& communicator, std::initializer_list<Status> statuses) {
  for (const Status& status : statuses)
    if (!status.ok()) return vote(communicator, status);
  vote(communicator, Status());
}

}  // namespace

// --- IdDirectory ---------------------------------------------------------------------------------

struct IdDirectory::Impl {
  const Communicator* communicator;
  MemoryKind memory = MemoryKind::host;
  KeptIds kept = {};

  Space space() const { return Space::where(memory); }
};

IdDirectory::IdDirectory() noexcept = default;
IdDirectory::IdDirectory(IdDirectory&&) noexcept = default;
IdDirectory& IdDirectory::operator=(IdDirectory&&) noexcept = default;
IdDirectory::~IdDirectory() = default;

IdDirectory::IdDirectory(const Communicator& communicator, const NumberSource& ids,
                         const OwnedCount& count) {
  const exec::Region shown("evenkeel::directory");
  Routes routes;
  exec::Array<IdClaim> leaving, arriving;
  Status status = attempt(stage_name, [&] {
    impl_ = std::make_unique<Impl>(Impl{&communicator});
    const std::int64_t objects = count_of(ids, count);
    if (objects > 0 && ids.layout().components != 1)
      refuse("Objects have " + std::to_string(ids.layout().components) + " ids each.",
             "Give one id per object.");
    const Space where = Space::where(ids.layout().memory);
    impl_->memory = exec::memory_of(where);
    const exec::Array<std::uint64_t> all = read_ids(where, ids, objects);
    routes = routes_of(where, all, communicator.size());
    leaving = {where, directory_label, all.size()};
    exec::for_each(where, directory_label, all.size(),
                   WriteClaims{all.data(), routes.places.data(), leaving.data()});
    where.fence(directory_label);
  });
  const auto claimants = announce(communicator, stage_name, status, routes.keepers);
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      const Space space = impl_->space();
      arriving = {space, directory_label, sum_of(claimants)};
      transfer.emplace(
          transfer_between(space, communicator, leaving, routes.keepers, arriving, claimants));
    });
  vote(communicator, status);
  const Status told = attempt(stage_name, [&] { transfer->run(); });
  const Status known = attempt(stage_name, [&] {
    if (!told.ok()) return;
    impl_->kept = kept_of(impl_->space(), arriving, claimants);
    require_distinct(impl_->space(), impl_->kept);
  });
  vote_first(communicator, {told, known});
}

IdDirectory::Impl& IdDirectory::impl() const {
  if (impl_ == nullptr)
    refuse("This IdDirectory is empty.",
           "Make one from ids, or use the object to which this one was moved.");
  return *impl_;
}

exec::Array<IdDirectory::Location> IdDirectory::look_up(const NumberSource& ids,
                                                        const OwnedCount& count) const {
  const exec::Region shown("evenkeel::directory::look_up");
  const Impl& all = impl();
  const Communicator& communicator = *all.communicator;
  const Space space = all.space();
  Routes routes;
  exec::Array<std::uint64_t> asking, asked;
  exec::Array<IdDirectory::Location> answering, answers, locations;
  Status status = attempt(stage_name, [&] {
    const exec::Array<std::uint64_t> wanted = read_ids(space, ids, count_of(ids, count));
    routes = routes_of(space, wanted, communicator.size());
    asking = exec::chosen(space, directory_label, wanted.data(), routes.places);
    answers = {space, directory_label, wanted.size()};
    locations = {space, directory_label, wanted.size()};
  });
  const auto askers = announce(communicator, stage_name, status, routes.keepers);
  std::optional<Transfer> ask, answer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      asked = {space, directory_label, sum_of(askers)};
      answering = {space, directory_label, asked.size()};
      ask.emplace(transfer_between(space, communicator, asking, routes.keepers, asked, askers));
      answer.emplace(
          transfer_between(space, communicator, answering, askers, answers, routes.keepers));
    });
  vote(communicator, status);
  const Status did_ask = attempt(stage_name, [&] { ask->run(); });
  const Status knew = attempt(stage_name, [&] {
    exec::for_each(space, directory_label, asked.size(),
                   WriteAnswers{all.kept.place_of(), all.kept.locations.data(), asked.data(),
                                answering.data()});
    space.fence(directory_label);
  });
  const Status did_answer = attempt(stage_name, [&] { answer->run(); });
  const Status put = attempt(stage_name, [&] {
    exec::for_each(space, directory_label, answers.size(),
                   exec::Put{answers.data(), routes.places.data(), locations.data()});
    space.fence(directory_label);
  });
  vote_first(communicator, {did_ask, knew, did_answer, put});
  return locations;
}

void IdDirectory::update(const MoveReport& report, const NumberSource& ids,
                         const OwnedCount& count) {
  if (report.moved) update(ids, count);
}

void IdDirectory::update(const NumberSource& ids, const OwnedCount& count) {
  *this = IdDirectory(*impl().communicator, ids, count);
}

}  // namespace evenkeel
