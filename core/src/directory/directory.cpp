// Ids are told to their keepers, and asked there, by the same routes: sorted by keeper, one message
// to each.

#include "bisect.hpp"
#include "by_number.hpp"
#include "directory/ids.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/directory.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/directory";
constexpr const char* label = "evenkeel::directory";

// --- Keepers -------------------------------------------------------------------------------------

// Spreads ids evenly over ranks, whatever they are (the mixing function of SplittableRandom by D.
// Lea and others).
struct WriteKeepers {
  const std::uint64_t* ids;
  int ranks;
  std::uint32_t* keepers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t bits = ids[i];
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    keepers[i] =
        static_cast<std::uint32_t>((bits ^ (bits >> 31U)) % static_cast<std::uint64_t>(ranks));
  }
};

// Ids of this rank by keeper.
struct Routes {
  exec::Array<std::int64_t> places;  // of each, where it was given
  std::vector<Note<std::int64_t>> keepers;
};

Routes routes_of(const Space& space, const exec::Array<std::uint64_t>& ids, int ranks) {
  const exec::Array<std::uint32_t> keepers(space, label, ids.size());
  exec::for_each(space, label, ids.size(), WriteKeepers{ids.data(), ranks, keepers.data()});
  ByNumber by_keeper = by_number(space, keepers, ranks);
  Routes routes{std::move(by_keeper.places), {}};
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t count = by_keeper.offsets[r + 1] - by_keeper.offsets[r];
    if (count > 0) routes.keepers.push_back({rank, count});
  }
  return routes;
}

std::int64_t sum_of(const std::vector<Note<std::int64_t>>& notes) {
  std::int64_t sum = 0;
  for (const Note<std::int64_t>& note : notes) sum += note.content;
  return sum;
}

// Adds messages from list to list, rank by rank.
template <class T>
void add_messages(std::vector<Send>& sends, std::vector<Receive>& receives,
                  const exec::Array<T>& from, const std::vector<Note<std::int64_t>>& to_ranks,
                  const exec::Array<T>& to, const std::vector<Note<std::int64_t>>& from_ranks) {
  constexpr auto each = static_cast<std::int64_t>(sizeof(T));
  T* next = from.data();
  for (const Note<std::int64_t>& note : to_ranks) {
    sends.push_back({note.rank, next, note.content * each, from.memory()});
    next += note.content;
  }
  next = to.data();
  for (const Note<std::int64_t>& note : from_ranks) {
    receives.push_back({note.rank, next, note.content * each, to.memory()});
    next += note.content;
  }
}

template <class T>
Transfer transfer_of(const Communicator& communicator, const Space& space,
                     const exec::Array<T>& from, const std::vector<Note<std::int64_t>>& to_ranks,
                     const exec::Array<T>& to, const std::vector<Note<std::int64_t>>& from_ranks) {
  std::vector<Send> sends;
  std::vector<Receive> receives;
  add_messages(sends, receives, from, to_ranks, to, from_ranks);
  return Transfer(space, communicator, sends, receives);
}

// --- What is kept --------------------------------------------------------------------------------

// An id that a rank has, and where.
struct Claim {
  std::uint64_t id;
  std::int64_t slot;
};

struct WriteClaims {
  const std::uint64_t* ids;
  const std::int64_t* places;
  Claim* claims;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { claims[i] = {ids[places[i]], places[i]}; }
};

// Where each id is; claims stand by the ranks that have them.
struct WriteLocations {
  const Claim* claims;
  const std::int64_t* firsts;  // of each rank that claims
  const int* ranks;
  std::int64_t claimants;
  Location* locations;
  std::uint64_t* ids;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    locations[i].rank = ranks[part_at(firsts, claimants, i)];
    locations[i].slot = claims[i].slot;
    ids[i] = claims[i].id;
  }
};

struct IsTaken {
  const std::int64_t* slots;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t slot) const {
    return slots[slot] == PlaceOfId::none ? 0 : 1;
  }
};

struct IsAgain {
  PlaceOfId place_of;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return place_of(place_of.ids[i]) != i; }
};

// All that this rank keeps.
struct Kept {
  exec::Array<std::uint64_t> ids;
  exec::Array<std::int64_t> slots;
  exec::Array<Location> locations;

  PlaceOfId place_of() const { return IdTable::of(ids, slots); }
};

Kept kept_of(const Space& space, const exec::Array<Claim>& claims,
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
  const exec::Reached<std::int64_t> firsts_there(space, label, firsts);
  const exec::Reached<int> ranks_there(space, label, ranks);
  Kept kept{{space, label, count}, {}, {space, label, count}};
  exec::for_each(space, label, count,
                 WriteLocations{claims.data(), firsts_there.data(), ranks_there.data(),
                                std::ssize(ranks), kept.locations.data(), kept.ids.data()});
  kept.slots = IdTable::slots_for(space, kept.ids);
  return kept;
}

void require_distinct(const Space& space, const Kept& kept) {
  const std::int64_t distinct =
      exec::sum<std::int64_t>(space, kept.slots.size(), IsTaken{kept.slots.data()});
  if (distinct == kept.ids.size()) return;
  const std::int64_t again = exec::first_that(space, kept.ids.size(), IsAgain{kept.place_of()});
  std::uint64_t id = 0;
  kept.ids.fetch(again, {&id, 1});
  const std::vector<std::uint64_t> ids = kept.ids.on_host();
  const auto before = std::find(ids.begin(), ids.end(), id) - ids.begin();
  const auto object = [&](std::int64_t place) {
    Location at;
    kept.locations.fetch(place, {&at, 1});
    return "object " + std::to_string(at.slot) + " of rank " + std::to_string(at.rank);
  };
  throw Error(ErrorKind::bad_input, Where{stage_name},
              "Id " + std::to_string(static_cast<std::int64_t>(id)) + " is that of " +
                  object(before) + " and of " + object(again) + '.',
              "Give each object an id of its own.");
}

// --- Questions -----------------------------------------------------------------------------------

struct Answer {
  PlaceOfId place_of;
  const Location* locations;
  const std::uint64_t* asked;
  Location* answers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t place = place_of(asked[i]);
    answers[i] = place == PlaceOfId::none ? Location{} : locations[place];
  }
};

struct PutBack {
  const Location* answers;
  const std::int64_t* places;
  Location* locations;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { locations[places[i]] = answers[i]; }
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
  Kept kept = {};

  Space space() const { return Space::where(memory); }
  void tell(const NumberSource& ids, const OwnedCount& count);
};

void IdDirectory::Impl::tell(const NumberSource& ids, const OwnedCount& count) {
  const exec::Region shown("evenkeel::directory");
  Routes routes;
  exec::Array<Claim> leaving, arriving;
  Status status = attempt(stage_name, [&] {
    const std::int64_t objects = count_of(ids, count);
    if (objects > 0 && ids.layout().components != 1)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "Objects have " + std::to_string(ids.layout().components) + " ids each.",
                  "Give one id per object.");
    const Space where = Space::where(ids.layout().memory);
    memory = exec::memory_of(where);
    const exec::Array<std::uint64_t> all = read_ids(where, ids, objects);
    routes = routes_of(where, all, communicator->size());
    leaving = {where, label, all.size()};
    exec::for_each(where, label, all.size(),
                   WriteClaims{all.data(), routes.places.data(), leaving.data()});
    where.fence(label);
  });
  if (!status.ok()) routes.keepers.clear();
  std::vector<Note<std::int64_t>> claimants;
  const Status heard = attempt(stage_name, [&] {
    claimants = announce(*communicator, std::span<const Note<std::int64_t>>(routes.keepers));
  });
  if (status.ok()) status = heard;
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      arriving = {space(), label, sum_of(claimants)};
      transfer.emplace(
          transfer_of(*communicator, space(), leaving, routes.keepers, arriving, claimants));
    });
  vote(*communicator, status);
  const Status told = attempt(stage_name, [&] { transfer->run(); });
  const Status known = attempt(stage_name, [&] {
    if (!told.ok()) return;
    kept = kept_of(space(), arriving, claimants);
    require_distinct(space(), kept);
  });
  vote_first(*communicator, {told, known});
}

IdDirectory::IdDirectory() noexcept = default;
IdDirectory::IdDirectory(IdDirectory&&) noexcept = default;
IdDirectory& IdDirectory::operator=(IdDirectory&&) noexcept = default;
IdDirectory::~IdDirectory() = default;

IdDirectory::IdDirectory(const Communicator& communicator, const NumberSource& ids,
                         const OwnedCount& count)
    : impl_(std::make_unique<Impl>(Impl{&communicator})) {
  impl_->tell(ids, count);
}

IdDirectory::Impl& IdDirectory::impl() const {
  if (impl_ == nullptr)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "There is no directory here.",
                "Make one from ids, or use the object that it was moved to.");
  return *impl_;
}

exec::Array<Location> IdDirectory::look_up(const NumberSource& ids, const OwnedCount& count) const {
  const exec::Region shown("evenkeel::directory::look_up");
  const Impl& all = impl();
  const Communicator& communicator = *all.communicator;
  const Space space = all.space();
  Routes routes;
  exec::Array<std::uint64_t> asking, asked;
  exec::Array<Location> answering, answers, locations;
  Status status = attempt(stage_name, [&] {
    const exec::Array<std::uint64_t> wanted = read_ids(space, ids, count_of(ids, count));
    routes = routes_of(space, wanted, communicator.size());
    asking = exec::chosen(space, label, wanted.data(), routes.places);
    answers = {space, label, wanted.size()};
    locations = {space, label, wanted.size()};
  });
  if (!status.ok()) routes.keepers.clear();
  std::vector<Note<std::int64_t>> askers;
  const Status heard = attempt(stage_name, [&] {
    askers = announce(communicator, std::span<const Note<std::int64_t>>(routes.keepers));
  });
  if (status.ok()) status = heard;
  std::optional<Transfer> ask, answer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      asked = {space, label, sum_of(askers)};
      answering = {space, label, asked.size()};
      ask.emplace(transfer_of(communicator, space, asking, routes.keepers, asked, askers));
      answer.emplace(transfer_of(communicator, space, answering, askers, answers, routes.keepers));
    });
  vote(communicator, status);
  const Status did_ask = attempt(stage_name, [&] { ask->run(); });
  const Status knew = attempt(stage_name, [&] {
    exec::for_each(
        space, label, asked.size(),
        Answer{all.kept.place_of(), all.kept.locations.data(), asked.data(), answering.data()});
    space.fence(label);
  });
  const Status did_answer = attempt(stage_name, [&] { answer->run(); });
  const Status put = attempt(stage_name, [&] {
    exec::for_each(space, label, answers.size(),
                   PutBack{answers.data(), routes.places.data(), locations.data()});
    space.fence(label);
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
