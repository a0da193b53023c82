// exchange() and sum_back(). Both check the arguments, reserve memory, write records, vote, and
// send one message to each partner. They write fields only at the end.

#include "halo/impl.hpp"
#include "halo/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <algorithm>
#include <limits>

namespace evenkeel {

namespace {

constexpr const char* exchange_label = "evenkeel::halo::exchange";

// --- Agreement -----------------------------------------------------------------------------------

// Each rank describes its action by a number. These are the least and the greatest number of all
// ranks that have partners; they must be equal.
struct Actions {
  std::uint64_t least, greatest;
};

void combine(Actions& into, const Actions& from) noexcept {
  into.least = std::min(into.least, from.least);
  into.greatest = std::max(into.greatest, from.greatest);
}

// --- Misuse --------------------------------------------------------------------------------------

void require_count(const Set& set, std::int64_t owned) {
  if (set.count() == owned) return;
  refuse("The set has " + std::to_string(set.count()) +
             " owned objects, and the halo was made for " + std::to_string(owned) + '.',
         "Make a new halo when objects have moved.");
}

void require_no_payloads(std::size_t payloads) {
  if (payloads > 0)
    refuse("Payloads cannot be exchanged.", "Exchange fields; ghosts have no payloads.");
}

Status checked(const Set& set, std::int64_t owned) {
  return attempt(stage_name, [&] {
    require_no_payloads(set.payloads().size());
    if (set.options().count.given()) require_count(set, owned);
    const FieldLayout at = set.fields().front().position();
    const bool is_real = at.scalar == ScalarType::float32 || at.scalar == ScalarType::float64;
    if (!is_real || at.components > 3)
      refuse(set.describe(0) + " is not a position.",
             "Name the position as the first field, or give only ek::carry(...).");
  });
}

Status checked(const Carried& fields) {
  return attempt(stage_name, [&] { require_no_payloads(fields.payloads.size()); });
}

Status both(const Status& one, const Status& other) { return one.ok() ? other : one; }

}  // namespace

// --- The steps -----------------------------------------------------------------------------------

void Mail::reserve(MemoryKind memory, std::int64_t bytes, bool is_staged) {
  if (records.bytes() < bytes) {
    records = {};
    records = Buffer("evenkeel::halo::records", memory, bytes);
  }
  if (is_staged && staged.bytes() < bytes) {
    staged = {};
    staged = Buffer::for_staging("evenkeel::halo::staged", bytes);
  }
}

void Halo::Impl::reserve(const Records& records) {
  copies.mail.reserve(memory, counts.copies * records.bytes, is_staged());
  ghosts.mail.reserve(memory, counts.ghosts * records.bytes, is_staged());
}

void Halo::Impl::agree(const Status& status, const Records& records, std::uint64_t action) const {
  constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const bool has_say = status.ok() && !(copies.parcels.empty() && ghosts.parcels.empty());
  const std::uint64_t mine = records.signature() ^ action;
  const Actions all =
      vote<&combine>(*communicator, status, has_say ? Actions{mine, mine} : Actions{top, 0});
  if (all.least < all.greatest)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks bring different fields to an exchange of ghosts.",
                "Give fields of the same types in the same order on all ranks.");
}

// When this returns, all records are written. If MPI reads them on the host, they are copied there.
Transfer Halo::Impl::transfer(const Records& records, bool back) {
  const Space where = space();
  const MemoryKind kind = is_staged() ? MemoryKind::host : memory;
  const auto add = [&](auto& messages, const std::vector<Parcel>& parcels, const Mail& mail) {
    add_parcels(messages, parcels, (is_staged() ? mail.staged : mail.records).data(), records.bytes,
                kind);
  };
  const Mail &out = back ? ghosts.mail : copies.mail, &in = back ? copies.mail : ghosts.mail;
  const std::vector<Parcel>&leaving = back ? ghosts.parcels : copies.parcels,
        &arriving = back ? copies.parcels : ghosts.parcels;
  if (is_staged())
    copy_bytes(where, out.staged.data(), MemoryKind::host, out.records.data(), memory,
               (back ? counts.ghosts : counts.copies) * records.bytes);
  where.fence(exchange_label);
  std::vector<Send> sends;
  std::vector<Receive> receives;
  add(sends, leaving, out);
  add(receives, arriving, in);
  return Transfer(where, *communicator, sends, receives,
                  {.in_flight = std::numeric_limits<int>::max()});
}

void Halo::Impl::run(Transfer& transfer, const Records& records, bool back) {
  transfer.run();
  const Mail& in = back ? copies.mail : ghosts.mail;
  if (is_staged())
    copy_bytes(space(), in.records.data(), memory, in.staged.data(), MemoryKind::host,
               (back ? counts.copies : counts.ghosts) * records.bytes);
}

template <class Write>
Records Halo::Impl::send(const HaloFields& fields, Status status, bool back, const Write& write) {
  Records records;
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      records = records_of(space(), fields, counts);
      if (back) require_numbers(records);
      reserve(records);
      write(records);
      transfer.emplace(this->transfer(records, back));
    });
  agree(status, records, back ? 2 : 1);
  run(*transfer, records, back);
  return records;
}

void Halo::Impl::exchange(const HaloFields& fields, const Status& status) {
  const exec::Region shown("evenkeel::halo::exchange");
  const Records records = send(fields, status, false, [&](const Records& all) {
    write_copies(space(), all, copies.objects, copies.mail.records.data());
    shift(space(), all, copies.images, quarters, copies.mail.records.data());
  });
  read_ghosts(space(), records, counts.ghosts, ghosts.mail.records.data());
  space().fence(exchange_label);
  for (const Field& field : fields.ghosts.empty() ? fields.owned : fields.ghosts) field.changed();
}

void Halo::Impl::sum_back(const HaloFields& fields, const Status& status) {
  const exec::Region shown("evenkeel::halo::sum_back");
  const Records records = send(fields, status, true, [&](const Records& all) {
    if (!by_object) by_object = evenkeel::by_object(space(), copies.objects);
    write_ghosts(space(), all, counts.ghosts, ghosts.mail.records.data());
  });
  add_copies(space(), records, *by_object, copies.mail.records.data());
  space().fence(exchange_label);
  for (const Field& field : fields.owned) field.changed();
}

// --- Functions for users -------------------------------------------------------------------------

void Halo::exchange(const Set& set) {
  impl().exchange({set.fields(), {}, true}, checked(set, owned()));
}
void Halo::exchange(const Carried& fields) {
  impl().exchange({fields.fields, {}, false}, checked(fields));
}
void Halo::exchange(const Set& owned, const Set& ghosts) {
  impl().exchange({owned.fields(), ghosts.fields(), true},
                  both(checked(owned, this->owned()), checked(ghosts, this->ghosts())));
}
void Halo::exchange(const Carried& owned, const Carried& ghosts) {
  impl().exchange({owned.fields, ghosts.fields, false}, both(checked(owned), checked(ghosts)));
}
void Halo::sum_back(const Carried& fields) {
  impl().sum_back({fields.fields, {}, false}, checked(fields));
}
void Halo::sum_back(const Carried& owned, const Carried& ghosts) {
  impl().sum_back({owned.fields, ghosts.fields, false}, both(checked(owned), checked(ghosts)));
}

void Halo::make_room(const Set& set) {
  const Impl& plan = impl();
  const std::vector<SetShape> shapes = agree_on_sets(*plan.communicator, {&set, 1});
  const std::int64_t all = plan.counts.owned + plan.counts.ghosts;
  std::vector<StagedField> staged;
  const Status status = attempt(stage_name, [&] {
    require_no_payloads(set.payloads().size());
    require_count(set, plan.counts.owned);
    staged.reserve(set.fields().size());
    const Placement placement =
        set.options().keep_allocation ? Placement::in_place : Placement::replace;
    for (std::size_t f = 0; f < set.fields().size(); ++f) {
      const Field& field = set.fields()[f];
      const FieldLayout at = field.layout();
      if (room_of(field) >= all) continue;
      const Space where = Space::where(at.memory);
      staged.push_back(field.stage(where, Room{all, shapes.front().components[f]}, placement));
      copy_objects(where, staged.back().layout(), at, plan.counts.owned);
    }
  });
  vote(*plan.communicator, status);
  for (StagedField& field : staged) field.commit();
}

}  // namespace evenkeel
