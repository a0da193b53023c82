// The memory of a parcel has a block for each column: indices, inputs, kept fields, results and
// costs, in this order. So what travels to the borrower is the front of a parcel, and what travels
// back is its end.

#include "lend/stage.hpp"

#include "field/copy.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/lend.hpp>

#include <limits>
#include <optional>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* trip_label = "evenkeel::lend::trip";
constexpr double unwritten = -1;  // a cost that the kernel has not written
constexpr double most_cost = 1e30;

// The expected costs of some objects; 1 for each if nothing is expected.
struct ExpectedCost {
  const double* expected;
  const std::int64_t* objects;  // null if these are 0, 1, 2, ...
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return expected == nullptr ? 1 : expected[objects != nullptr ? objects[i] : i];
  }
};

// Objects whose cost the kernel has not written share the time of their batch.
struct ShareTime {
  double* costs;
  ExpectedCost expected;
  double scale;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double& cost = costs[expected.objects != nullptr ? expected.objects[i] : i];
    if (!(cost >= 0 && cost < most_cost)) cost = expected(i) * scale;
  }
};

// The places of the columns of a parcel, in bytes from its begin.
struct Blocks {
  std::vector<std::int64_t> fields;  // in the order of a Batch
  std::int64_t costs = 0;
  std::int64_t front = 0;     // bytes that travel to the borrower; indices are at 0
  std::int64_t returned = 0;  // the first byte that travels back
  std::int64_t all = 0;
};

// A parcel in memory.
struct Crate {
  std::byte* data;
  std::vector<FieldLayout> fields;  // in the order of a Batch
  FieldLayout costs;
  Blocks blocks;
};

void require_field(const Space& space, const Field& field, std::int64_t count) {
  const FieldLayout at = field.layout();
  if (at.count < count)
    refuse("'" + field.label() + "' has " + std::to_string(at.count) + " objects, but " +
               std::to_string(count) + " are to be worked on.",
           "Give fields of the same length, or the number of objects in .count.");
  if (!space.can_access(at.memory))
    refuse("'" + field.label() + "' is in " + name_of(at.memory) + " memory, which " +
               std::string(space.name()) + " does not reach.",
           "Give fields of a loan in one kind of memory.");
}

}  // namespace

struct LoanTrip::Impl {
  Impl(const Space& where, const Terms& all)
      : space(where), terms(all), costs(where, trip_label, all.count) {
    const LoanFields& of = terms.fields;
    for (const std::span<const Field> group : {of.kept, of.inputs, of.results})
      for (const Field& field : group) {
        require_field(space, field, terms.count);
        fields.push_back(field.layout());
      }
    for (const Field& field : of.cost) {
      require_field(space, field, terms.count);
      cost_fields.push_back(field.layout());
      if (cost_fields.back().scalar != ScalarType::float64 || cost_fields.back().components != 1)
        refuse("'" + field.label() + "' cannot hold costs.",
               "Give .cost a field with one double per object.");
    }
    memory = exec::memory_of(space);
  }

  Blocks blocks_of(std::int64_t objects) const;
  // Allocates memory for parcels.
  std::vector<Crate> crates_for(const std::vector<Parcel>& parcels, Buffer& buffer) const;
  FieldLayout own_costs() const {
    return packed_layout(costs.data(), terms.count, terms.count, memory);
  }

  void require_same_fields() const;
  void pack() const;
  bool work_once();
  void work_on_own();
  void work_on_borrowed();
  std::int64_t call(const Batch& batch);
  void take_costs();
  // Divides the time of some own objects. They are those in a list, or else begin at `first`.
  void share(std::int64_t nanoseconds, const std::int64_t* objects, std::int64_t first,
             std::int64_t several) const;

  Space space;
  Terms terms;
  MemoryKind memory = MemoryKind::host;
  std::vector<FieldLayout> fields, shifted, cost_fields;
  exec::Array<double> costs;
  Totals totals;

  bool trades = false;
  LentObjects lent;
  std::vector<Parcel> borrowed;
  Buffer lent_memory, borrowed_memory;
  std::vector<Crate> lent_crates, borrowed_crates;
  std::vector<std::int64_t> times_away, times_here;  // nanoseconds for each parcel
  std::optional<Transfer> there, back;

  std::int64_t next_own = 0;         // batch
  std::vector<std::size_t> waiting;  // borrowed parcels that have arrived
  std::size_t next_borrowed = 0;     // of these
  Status failure;
};

Blocks LoanTrip::Impl::blocks_of(std::int64_t objects) const {
  constexpr std::int64_t line = 64;
  Blocks blocks;
  blocks.fields.resize(fields.size());
  std::int64_t at = 0;
  const auto place = [&](std::int64_t bytes_each) {
    const std::int64_t begin = at;
    at += (objects * bytes_each + line - 1) / line * line;
    return begin;
  };
  const auto place_fields = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f)
      blocks.fields[f] = place(fields[f].bytes_per_object());
  };
  const std::size_t kept = terms.fields.kept.size(), given = kept + terms.fields.inputs.size();
  place(sizeof(std::int64_t));
  place_fields(kept, given);
  blocks.returned = at;
  place_fields(0, kept);
  blocks.front = at;
  place_fields(given, fields.size());
  blocks.costs = place(sizeof(double));
  blocks.all = at;
  return blocks;
}

std::vector<Crate> LoanTrip::Impl::crates_for(const std::vector<Parcel>& parcels,
                                              Buffer& buffer) const {
  std::vector<Crate> crates;
  std::int64_t bytes = 0;
  for (const Parcel& parcel : parcels) {
    crates.push_back({nullptr, {}, {}, blocks_of(parcel.objects)});
    bytes += crates.back().blocks.all;
  }
  buffer = Buffer(trip_label, memory, bytes);
  std::byte* at = buffer.data();
  for (std::size_t p = 0; p < parcels.size(); ++p) {
    Crate& crate = crates[p];
    const std::int64_t objects = parcels[p].objects;
    crate.data = at;
    for (std::size_t f = 0; f < fields.size(); ++f)
      crate.fields.push_back(packed_like(fields[f], at + crate.blocks.fields[f], memory, objects));
    crate.costs =
        packed_layout(reinterpret_cast<double*>(at + crate.blocks.costs), objects, objects, memory);
    at += crate.blocks.all;
  }
  return crates;
}

// --- Making --------------------------------------------------------------------------------------

LoanTrip::LoanTrip(const Space& space, const Terms& terms)
    : impl_(std::make_unique<Impl>(space, terms)) {}
LoanTrip::LoanTrip(LoanTrip&&) noexcept = default;
LoanTrip& LoanTrip::operator=(LoanTrip&&) noexcept = default;
LoanTrip::~LoanTrip() = default;

std::int64_t LoanTrip::bytes_of_object() const noexcept {
  std::int64_t bytes = sizeof(std::int64_t) + sizeof(double);
  for (std::size_t f = 0; f < impl_->fields.size(); ++f)
    bytes += impl_->fields[f].bytes_per_object() * (f < impl_->terms.fields.kept.size() ? 2 : 1);
  return bytes;
}

std::uint64_t LoanTrip::signature() const noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&](auto value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001B3U;
  };
  add(impl_->terms.fields.kept.size());
  add(impl_->terms.fields.inputs.size());
  for (const FieldLayout& at : impl_->fields) {
    add(at.scalar);
    add(at.element_bytes);
    add(at.components);
    add(at.memory);
  }
  return hash;
}

void LoanTrip::make(Status& ready, LentObjects chosen) {
  Impl& impl = *impl_;
  impl.trades = true;
  std::vector<Note<std::int64_t>> notes;
  const Status listed = attempt(stage_name, [&] {
    impl.lent = std::move(chosen);
    for (const Parcel& parcel : impl.lent.parcels) notes.push_back({parcel.rank, parcel.objects});
  });
  if (ready.ok()) ready = listed;
  notes = announce(impl.terms.ranks, stage_name, ready, notes);
  const Status made = attempt(stage_name, [&] {
    std::int64_t first = 0;
    for (const Note<std::int64_t>& note : notes) {
      impl.borrowed.push_back({note.rank, first, note.content});
      first += note.content;
    }
    impl.lent_crates = impl.crates_for(impl.lent.parcels, impl.lent_memory);
    impl.borrowed_crates = impl.crates_for(impl.borrowed, impl.borrowed_memory);
    impl.times_away.resize(impl.lent.parcels.size());
    impl.times_here.resize(impl.borrowed.size());
    impl.waiting.reserve(impl.borrowed.size());
    std::vector<Send> sends, returns;
    std::vector<Receive> receives, returned;
    const auto add = [&](const Parcel& parcel, const Crate& crate, auto& fronts, auto& ends,
                         std::int64_t& time) {
      const Blocks& blocks = crate.blocks;
      fronts.push_back({parcel.rank, crate.data, blocks.front, impl.memory});
      ends.push_back(
          {parcel.rank, crate.data + blocks.returned, blocks.all - blocks.returned, impl.memory});
      ends.push_back({parcel.rank, &time, sizeof time});
    };
    for (std::size_t p = 0; p < impl.lent_crates.size(); ++p) {
      add(impl.lent.parcels[p], impl.lent_crates[p], sends, returned, impl.times_away[p]);
      impl.totals.objects_lent += impl.lent.parcels[p].objects;
      impl.totals.bytes_sent += impl.lent_crates[p].blocks.front;
    }
    for (std::size_t p = 0; p < impl.borrowed_crates.size(); ++p) {
      const Blocks& blocks = impl.borrowed_crates[p].blocks;
      add(impl.borrowed[p], impl.borrowed_crates[p], receives, returns, impl.times_here[p]);
      impl.totals.objects_borrowed += impl.borrowed[p].objects;
      impl.totals.bytes_sent += blocks.all - blocks.returned;
    }
    impl.totals.partners = static_cast<int>(impl.lent_crates.size() + impl.borrowed_crates.size());
    const TransferLimits limits = {.in_flight = std::numeric_limits<int>::max()};
    impl.there.emplace(impl.space, impl.terms.ranks, sends, receives, limits);
    impl.back.emplace(impl.space, impl.terms.ranks, returns, returned, limits);
  });
  if (ready.ok()) ready = made;
}

void LoanTrip::discard() noexcept {
  impl_->trades = false;
  impl_->lent = {};
  impl_->borrowed.clear();
  impl_->totals = {};
  impl_->there.reset();
  impl_->back.reset();
  impl_->lent_crates.clear();
  impl_->borrowed_crates.clear();
  impl_->lent_memory = {};
  impl_->borrowed_memory = {};
}

// --- Working -------------------------------------------------------------------------------------

void LoanTrip::Impl::pack() const {
  const std::size_t given = terms.fields.kept.size() + terms.fields.inputs.size();
  for (std::size_t p = 0; p < lent_crates.size(); ++p) {
    const Parcel& parcel = lent.parcels[p];
    const std::int64_t* const objects = lent.objects.data() + parcel.first;
    copy_bytes(space, lent_crates[p].data, memory, objects, memory,
               parcel.objects * static_cast<std::int64_t>(sizeof(std::int64_t)));
    for (std::size_t f = 0; f < given; ++f)
      copy_chosen_objects(space, lent_crates[p].fields[f], nullptr, fields[f], objects,
                          parcel.objects);
  }
  space.fence(trip_label);
}

// Returns the nanoseconds of the call.
std::int64_t LoanTrip::Impl::call(const Batch& batch) {
  const std::int64_t begin = terms.now();
  terms.kernel(batch);
  space.fence(trip_label);
  return terms.now() - begin;
}

void LoanTrip::Impl::share(std::int64_t nanoseconds, const std::int64_t* objects,
                           std::int64_t first, std::int64_t several) const {
  const auto time = static_cast<double>(nanoseconds);
  ExpectedCost expected = {terms.expected.empty() ? nullptr : terms.expected.data() + first,
                           objects};
  double all = exec::sum<double>(space, several, expected);
  if (!(all > 0)) {
    expected.expected = nullptr;
    all = static_cast<double>(several);
  }
  exec::for_each(space, trip_label, several, ShareTime{costs.data() + first, expected, time / all});
}

void LoanTrip::Impl::work_on_own() {
  const std::int64_t count = terms.count - lent.count;
  const std::int64_t batches = std::min<std::int64_t>(terms.batches, count);
  const exec::Share range = exec::share_of(count, batches, next_own++);
  const std::int64_t length = range.end - range.begin;
  const int rank = terms.ranks.rank();
  if (lent.count > 0) {
    const std::int64_t* const list = lent.objects.data() + lent.count + range.begin;
    const std::int64_t took = call({fields, own_costs(), list, {list, 0}, length, rank, false});
    share(took, list, 0, length);
    totals.own += took;
    return;
  }
  shifted = fields;
  for (FieldLayout& at : shifted)
    at.data = static_cast<std::byte*>(at.data) + range.begin * at.object_stride_bytes;
  FieldLayout cost = own_costs();
  cost.data = costs.data() + range.begin;
  const std::int64_t took =
      call({shifted, cost, nullptr, {nullptr, range.begin}, length, rank, false});
  share(took, nullptr, range.begin, length);
  totals.own += took;
}

void LoanTrip::Impl::work_on_borrowed() {
  const std::size_t p = waiting[next_borrowed++];
  const Crate& crate = borrowed_crates[p];
  const std::int64_t count = borrowed[p].objects;
  exec::for_each(space, trip_label, count,
                 exec::Fill<double>{static_cast<double*>(crate.costs.data), unwritten});
  times_here[p] = call({crate.fields,
                        crate.costs,
                        nullptr,
                        {reinterpret_cast<const std::int64_t*>(crate.data), 0},
                        count,
                        borrowed[p].rank,
                        true});
  totals.others += times_here[p];
}

// Returns true if there is more to do now.
bool LoanTrip::Impl::work_once() {
  const auto own_left = [&] {
    return next_own < std::min<std::int64_t>(terms.batches, terms.count - lent.count);
  };
  if (!failure.ok()) return false;
  failure = attempt(
      stage_name,
      [&] {
        if (own_left())
          work_on_own();
        else if (next_borrowed < waiting.size())
          work_on_borrowed();
      },
      ErrorKind::application);
  return failure.ok() && (own_left() || next_borrowed < waiting.size());
}

// The kernel would write into memory that a field no longer has.
void LoanTrip::Impl::require_same_fields() const {
  std::size_t f = 0;
  const auto require = [&](const Field& field, const FieldLayout& before) {
    const FieldLayout now = field.layout();
    if (now.data != before.data || now.count < terms.count)
      refuse(std::string("The memory of '") + field.label() + "' has changed since the loan began.",
             "Leave fields alone between begin() and end().");
  };
  const LoanFields& of = terms.fields;
  for (const std::span<const Field> group : {of.kept, of.inputs, of.results})
    for (const Field& field : group) require(field, fields[f++]);
  if (!of.cost.empty()) require(of.cost.front(), cost_fields.front());
}

void LoanTrip::start() {
  Impl& impl = *impl_;
  const exec::Region shown("evenkeel::lend::start");
  impl.failure = attempt(stage_name, [&] {
    exec::for_each(impl.space, trip_label, impl.costs.size(),
                   exec::Fill<double>{impl.costs.data(), unwritten});
    impl.pack();
  });
  if (impl.trades) impl.there->start();
}

Status LoanTrip::run() {
  Impl& impl = *impl_;
  const exec::Region shown("evenkeel::lend::run");
  if (impl.failure.ok()) impl.failure = attempt(stage_name, [&] { impl.require_same_fields(); });
  if (!impl.trades) {
    while (impl.work_once()) continue;
    return impl.failure;
  }
  const auto arrived = [&](std::size_t parcel) { impl.waiting.push_back(parcel); };
  const auto meanwhile = [&] { return impl.work_once(); };
  const Status sent = attempt(stage_name, [&] {
    impl.there->run({.arrived = std::cref(arrived), .meanwhile = std::cref(meanwhile)});
  });
  const Status returned = attempt(stage_name, [&] { impl.back->run(); });
  const Status told = attempt(stage_name, [&] { impl.take_costs(); });
  for (const Status* next : {&sent, &returned, &told})
    if (impl.failure.ok()) impl.failure = *next;
  return impl.failure;
}

// Copies the costs of lent objects to those of the others.
void LoanTrip::Impl::take_costs() {
  for (std::size_t p = 0; p < lent_crates.size(); ++p) {
    const Parcel& parcel = lent.parcels[p];
    const std::int64_t* const objects = lent.objects.data() + parcel.first;
    copy_chosen_objects(space, own_costs(), objects, lent_crates[p].costs, nullptr, parcel.objects);
    share(times_away[p], objects, 0, parcel.objects);
    totals.away += times_away[p];
  }
  space.fence(trip_label);
}

void LoanTrip::deliver() {
  Impl& impl = *impl_;
  const std::size_t kept = impl.terms.fields.kept.size();
  const std::size_t given = kept + impl.terms.fields.inputs.size();
  for (std::size_t p = 0; p < impl.lent_crates.size(); ++p) {
    const Parcel& parcel = impl.lent.parcels[p];
    const Crate& crate = impl.lent_crates[p];
    const std::int64_t* const objects = impl.lent.objects.data() + parcel.first;
    for (std::size_t f = 0; f < impl.fields.size(); ++f)
      if (f < kept || f >= given)
        copy_chosen_objects(impl.space, impl.fields[f], objects, crate.fields[f], nullptr,
                            parcel.objects);
  }
  if (!impl.cost_fields.empty())
    copy_chosen_objects(impl.space, impl.cost_fields.front(), nullptr, impl.own_costs(), nullptr,
                        impl.terms.count);
  impl.space.fence(trip_label);
  const LoanFields& of = impl.terms.fields;
  for (const std::span<const Field> group : {of.kept, of.results, of.cost})
    for (const Field& field : group) field.changed();
}

exec::Array<double>& LoanTrip::costs() noexcept { return impl_->costs; }
const LoanTrip::Totals& LoanTrip::totals() const noexcept { return impl_->totals; }

}  // namespace evenkeel
