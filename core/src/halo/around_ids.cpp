// Ghosts by connectivity. Each rank names the ids of the objects that it needs, and asks the ranks
// that own them. So the receivers of ghosts make the plan.

#include "halo/impl.hpp"
#include "halo/stage.hpp"
#include "order/sort_by_number.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/sort.hpp>

namespace evenkeel {

namespace {

constexpr const char* around_ids_label = "evenkeel::halo::around_ids";

// Writes the slot of each object as a key to sort by. A second sort, by rank, puts objects that are
// not on another rank at the end.
struct WriteSlots {
  const IdDirectory::Location* locations;
  std::uint64_t *slots, *numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    slots[i] = static_cast<std::uint64_t>(locations[i].slot);
    numbers[i] = static_cast<std::uint64_t>(i);
  }
};

struct WriteOwnerRanks {
  const IdDirectory::Location* locations;
  const std::uint64_t* numbers;
  int self, ranks;
  std::uint32_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int rank = locations[numbers[i]].rank;
    to[i] = static_cast<std::uint32_t>(
        rank == IdDirectory::Location::nowhere || rank == self ? ranks : rank);
  }
};

// The objects of other ranks are sorted by rank and slot, and may occur several times. Writes 1 at
// the first entry of each object, 0 at its other entries, and 0 after the last entry.
struct WriteOtherBegins {
  const std::uint32_t* ranks;  // sorted
  const std::int64_t* places;
  const std::uint64_t* slots;
  std::int64_t count;
  std::int64_t* begins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    begins[i] = i < count && (i == 0 || ranks[i] != ranks[i - 1] ||
                              slots[places[i]] != slots[places[i - 1]])
                    ? 1
                    : 0;
  }
};

struct WriteWanted {
  const std::int64_t *places, *number;  // number[i + 1] > number[i] at the first entry of an object
  const std::uint64_t* slots;
  std::int64_t* wanted;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (number[i + 1] > number[i]) wanted[number[i]] = static_cast<std::int64_t>(slots[places[i]]);
  }
};

// The slots of the objects that this rank needs from other ranks, sorted by rank, and the place at
// which those of each rank begin.
struct Wanted {
  exec::Array<std::int64_t> slots;
  std::vector<std::int64_t> offsets;
};

Wanted wanted_of(const Space& space, const exec::Array<IdDirectory::Location>& locations, int self,
                 int ranks) {
  const std::int64_t all = locations.size();
  const exec::Array<std::uint64_t> slots(space, around_ids_label, all),
      numbers(space, around_ids_label, all);
  exec::for_each(space, around_ids_label, all,
                 WriteSlots{locations.data(), slots.data(), numbers.data()});
  exec::sort_pairs(space, slots.data(), numbers.data(), all);
  const exec::Array<std::uint32_t> to(space, around_ids_label, all);
  exec::for_each(space, around_ids_label, all,
                 WriteOwnerRanks{locations.data(), numbers.data(), self, ranks, to.data()});
  const SortedByNumber by_rank = sort_by_number(space, to, ranks + 1);
  const std::int64_t elsewhere = by_rank.offsets[static_cast<std::size_t>(ranks)];
  const exec::Array<std::int64_t> number(space, around_ids_label, elsewhere + 1);
  exec::for_each(
      space, around_ids_label, elsewhere + 1,
      WriteOtherBegins{to.data(), by_rank.places.data(), slots.data(), elsewhere, number.data()});
  const std::int64_t distinct = exec::sum_up(number);
  Wanted wanted{{space, around_ids_label, distinct}, {}};
  exec::for_each(
      space, around_ids_label, elsewhere,
      WriteWanted{by_rank.places.data(), number.data(), slots.data(), wanted.slots.data()});
  wanted.offsets =
      exec::picked(number, around_ids_label,
                   std::span(by_rank.offsets).first(static_cast<std::size_t>(ranks) + 1));
  return wanted;
}

void require_slots(const Space& space, const exec::Array<std::int64_t>& objects,
                   std::int64_t owned) {
  const std::int64_t stray =
      exec::first_that(space, objects.size(), exec::IsOutside{objects.data(), owned});
  if (stray == objects.size()) return;
  std::int64_t object = 0;
  objects.fetch(stray, {&object, 1});
  refuse("Object " + std::to_string(object) + " was asked for, but this rank owns " +
             std::to_string(owned) + " objects.",
         "Update the directory after each move, and ask for objects that this rank owns.");
}

struct WriteOriginsOnRank {
  const std::int64_t* slots;
  std::int64_t first;
  int rank;
  Halo::Origin* origins;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    origins[first + i] = {slots[first + i], rank, {0, 0, 0}};
  }
};

exec::Array<Halo::Origin> origins_of(const Space& space, const exec::Array<std::int64_t>& slots,
                                     const std::vector<Parcel>& imports) {
  exec::Array<Halo::Origin> origins(space, around_ids_label, slots.size());
  for (const Parcel& parcel : imports)
    exec::for_each(space, around_ids_label, parcel.objects,
                   WriteOriginsOnRank{slots.data(), parcel.first, parcel.rank, origins.data()});
  space.fence(around_ids_label);
  return origins;
}

}  // namespace

Halo Halo::around_ids(const Communicator& communicator, const Domains& domains,
                      const IdDirectory& directory, const NumberSource& ids, std::int64_t owned) {
  const exec::Region shown("evenkeel::halo");
  const exec::Array<IdDirectory::Location> locations = directory.look_up(ids);
  Halo halo;
  Wanted wanted;
  std::vector<Note<std::int64_t>> notes, askers;
  Status status = attempt(stage_name, [&] {
    halo.impl_ = std::make_unique<Impl>(Impl{&communicator, generation_of(domains), 0});
    Impl& plan = *halo.impl_;
    plan.memory = locations.memory();
    plan.counts.owned = owned;
    const Space space = plan.space();
    wanted = wanted_of(space, locations, communicator.rank(), communicator.size());
    plan.ghosts.parcels = parcels_of(wanted.offsets);
    plan.counts.ghosts = wanted.slots.size();
    plan.ghosts.origins = origins_of(space, wanted.slots, plan.ghosts.parcels);
    notes = counts_to_ranks(wanted.offsets);
  });
  askers = announce(communicator, stage_name, status, notes);
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      Impl& plan = *halo.impl_;
      for (const Note<std::int64_t>& note : askers) {
        plan.copies.parcels.push_back({note.rank, plan.counts.copies, note.content});
        plan.counts.copies += note.content;
      }
      plan.copies.objects = {plan.space(), around_ids_label, plan.counts.copies};
      transfer.emplace(transfer_between(communicator, plan.space(), plan.ghosts.parcels,
                                        wanted.slots, plan.copies.parcels, plan.copies.objects));
    });
  agree_on_plan(communicator, status, {0, generation_of(domains), false});
  const Status told = attempt(stage_name, [&] { transfer->run(); });
  const Status fits = attempt(stage_name, [&] {
    if (told.ok()) require_slots(halo.impl_->space(), halo.impl_->copies.objects, owned);
  });
  vote(communicator, told.ok() ? fits : told);
  return halo;
}

}  // namespace evenkeel
