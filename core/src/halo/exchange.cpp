// Exchange and sum. Both check, reserve and write records, vote, and send one message to each
// partner. Fields are written at the end.

#include "halo/impl.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/migrate/shapes.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/halo";
constexpr const char* label = "evenkeel::halo::exchange";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

// --- Agreement -----------------------------------------------------------------------------------

// The least and the greatest number of what ranks with partners do.
struct Actions {
  std::uint64_t least, greatest;
};

void combine(Actions& into, const Actions& from) noexcept {
  into.least = std::min(into.least, from.least);
  into.greatest = std::max(into.greatest, from.greatest);
}

// --- Misuse --------------------------------------------------------------------------------------

void require_count(const Set& set, std::int64_t owned) {
  if (!set.options().count.given() || set.count() == owned) return;
  refuse("The set has " + std::to_string(set.count()) +
             " owned objects, and the halo was made for " + std::to_string(owned) + '.',
         "Make a new halo when objects have moved.");
}

void require_no_payloads(std::size_t payloads) {
  if (payloads > 0) refuse("Ghosts have no payloads.", "Exchange fields, which are of one size.");
}

Status checked(const Set& set, std::int64_t owned) {
  return attempt(stage_name, [&] {
    require_no_payloads(set.payloads().size());
    require_count(set, owned);
    const FieldLayout at = set.fields().front().position();
    const bool is_real = at.scalar == ScalarType::float32 || at.scalar == ScalarType::float64;
    if (!is_real || at.components > 3)
      refuse(set.describe(0) + " is no position.", "Name a position first, or only carry fields.");
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
  copies.reserve(memory, counts.copies * records.bytes, is_staged());
  ghosts.reserve(memory, counts.ghosts * records.bytes, is_staged());
}

void Halo::Impl::agree(const Status& status, const Records& records, std::uint64_t action) const {
  constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const bool has_say = status.ok() && !(exports.empty() && imports.empty());
  const std::uint64_t mine = records.signature() ^ action;
  const Actions all =
      vote<&combine>(*communicator, status, has_say ? Actions{mine, mine} : Actions{top, 0});
  if (all.least < all.greatest)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks bring different fields to an exchange of ghosts.",
                "Give fields of the same types in the same order on all ranks.");
}

// Records are complete, and on the host if need be, when this returns.
Transfer Halo::Impl::transfer(const Records& records, bool back) {
  const Space where = space();
  const auto start = [&](const Mail& mail) {
    return is_staged() ? mail.staged.data() : mail.records.data();
  };
  const MemoryKind kind = is_staged() ? MemoryKind::host : memory;
  const Mail &out = back ? ghosts : copies, &in = back ? copies : ghosts;
  const std::vector<Parcel>&leaving = back ? imports : exports,
        &arriving = back ? exports : imports;
  if (is_staged())
    copy_bytes(where, out.staged.data(), MemoryKind::host, out.records.data(), memory,
               (back ? counts.ghosts : counts.copies) * records.bytes);
  where.fence(label);
  std::vector<Send> sends;
  std::vector<Receive> receives;
  sends.reserve(leaving.size());
  receives.reserve(arriving.size());
  for (const Parcel& parcel : leaving)
    sends.push_back({parcel.rank, start(out) + parcel.first * records.bytes,
                     parcel.objects * records.bytes, kind});
  for (const Parcel& parcel : arriving)
    receives.push_back({parcel.rank, start(in) + parcel.first * records.bytes,
                        parcel.objects * records.bytes, kind});
  return Transfer(where, *communicator, sends, receives,
                  {.in_flight = std::numeric_limits<int>::max()});
}

void Halo::Impl::run(Transfer& transfer, const Records& records, bool back) {
  transfer.run();
  const Mail& in = back ? copies : ghosts;
  if (is_staged())
    copy_bytes(space(), in.records.data(), memory, in.staged.data(), MemoryKind::host,
               (back ? counts.copies : counts.ghosts) * records.bytes);
}

void Halo::Impl::exchange(const HaloFields& fields, Status status) {
  const exec::Region shown("evenkeel::halo::exchange");
  Records records;
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      records = records_of(space(), fields, counts);
      reserve(records);
      write_copies(space(), records, objects, copies.records.data());
      shift(space(), records, images, quarters, copies.records.data());
      transfer.emplace(this->transfer(records, false));
    });
  agree(status, records, 1);
  run(*transfer, records, false);
  read_ghosts(space(), records, counts.ghosts, ghosts.records.data());
  space().fence(label);
  for (const Field& field : fields.ghosts.empty() ? fields.owned : fields.ghosts) field.changed();
}

void Halo::Impl::sum_back(const HaloFields& fields, Status status) {
  const exec::Region shown("evenkeel::halo::sum_back");
  Records records;
  std::optional<Transfer> transfer;
  if (status.ok())
    status = attempt(stage_name, [&] {
      records = records_of(space(), fields, counts);
      require_numbers(records);
      reserve(records);
      if (!by_object) by_object = evenkeel::by_object(space(), objects);
      write_ghosts(space(), records, counts.ghosts, ghosts.records.data());
      transfer.emplace(this->transfer(records, true));
    });
  agree(status, records, 2);
  run(*transfer, records, true);
  add_copies(space(), records, *by_object, copies.records.data());
  space().fence(label);
  for (const Field& field : fields.owned) field.changed();
}

// --- What users call -----------------------------------------------------------------------------

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
    if (set.count() != plan.counts.owned)
      refuse("The set has " + std::to_string(set.count()) +
                 " owned objects, and the halo was made for " + std::to_string(plan.counts.owned) +
                 '.',
             "Make a new halo when objects have moved.");
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
