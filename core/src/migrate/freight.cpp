#include "migrate/freight.hpp"

#include "field/copy.hpp"
#include "field/copy_ranges.hpp"
#include "field/ranges.hpp"
#include "payload/call.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

namespace evenkeel {

namespace {

std::size_t index_of(MemoryKind kind) { return static_cast<std::size_t>(kind); }

std::int64_t bytes_of(const std::vector<ObjectRange>& ranges) {
  return std::ssize(ranges) * static_cast<std::int64_t>(sizeof(ObjectRange));
}

std::int64_t list_bytes(std::int64_t objects) {
  return objects * static_cast<std::int64_t>(sizeof(std::int64_t));
}

// The layout from object `first` on.
FieldLayout from_object(FieldLayout at, std::int64_t first) {
  at.data = static_cast<std::byte*>(at.data) + first * at.object_stride_bytes;
  return at;
}

// Where `count` objects from `first` on go if they are one range; `spread` if they are not.
std::int64_t whole(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count) {
  constexpr std::int64_t spread = -1;
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), first,
                       [](std::int64_t at, const ObjectRange& range) { return at < range.from; });
  if (after == ranges.begin()) return spread;
  const ObjectRange& range = *std::prev(after);
  const std::int64_t skipped = first - range.from;
  return skipped + count <= range.count ? range.to + skipped : spread;
}

constexpr const char* label = "evenkeel::migrate::lists";

struct ListRange {
  const ObjectRange* ranges;
  std::int64_t* list;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    const ObjectRange& range = ranges[r];
    for (std::int64_t i = 0; i < range.count; ++i) list[range.from + i] = range.to + i;
  }
};

// Lists the places one by one. Ranges are only used on the host.
exec::Array<std::int64_t> listed(std::span<const ObjectRange> ranges, std::int64_t count) {
  const Space space = Space::where(MemoryKind::host);
  exec::Array<std::int64_t> list(space, label, count);
  const ListRange write{ranges.data(), list.data()};
  exec::for_each(space, label, std::ssize(ranges), write);
  space.fence(label);
  return list;
}

// The same on all ranks if the options are.
TransferLimits limits_of(const MoveOptions& options) {
  constexpr int most = std::numeric_limits<int>::max();
  const bool bounded = options.staging_bytes > 0;
  return {bounded ? options.staging_bytes : std::numeric_limits<std::int64_t>::max(),
          options.messages_in_flight > 0 ? options.messages_in_flight : most};
}

// The memory for a message is a multiple of this.
constexpr std::int64_t slot_step = 64;

MessageSizes sizes_of(const TransferLimits& limits) {
  MessageSizes sizes;
  constexpr int many = 64;  // more in flight than these do not make messages smaller
  const std::int64_t affordable =
      limits.staging_bytes / 2 / std::min(limits.in_flight, many) / slot_step * slot_step;
  sizes.most = std::clamp<std::int64_t>(affordable, 1, sizes.most);
  sizes.apart = std::min(sizes.apart, sizes.most);
  return sizes;
}

// Stands for a message whose place is not known yet.
std::byte unknown_place;

}  // namespace

Freight::Freight(const Communicator& communicator, std::span<const Set> sets,
                 std::span<const SetShape> shapes, const Plan& plan, const MoveOptions& options)
    : communicator_(communicator),
      sets_(sets),
      plan_(plan),
      limits_(limits_of(options)),
      sizes_(sizes_of(limits_)),
      lists_(sets.size()),
      cargo_(sets.size()) {
  add_columns(shapes);
  add_loads(true);
  add_loads(false);
}

void Freight::add_columns(std::span<const SetShape> shapes) {
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (std::size_t f = 0; f < sets_[s].fields().size(); ++f) {
      const FieldLayout at = sets_[s].fields()[f].layout();
      const std::int64_t components = shapes[s].components[f];
      columns_.push_back({s, f, at.memory, at.element_bytes * components});
    }
    for (std::size_t p = 0; p < sets_[s].payloads().size(); ++p)
      columns_.push_back({s, p, sets_[s].payloads()[p]->memory(), any_bytes});
  }
  for (const Column& column : columns_) uses_[index_of(column.memory)] = true;
}

std::vector<Share> Freight::shares_of(std::span<const std::int64_t> first,
                                      std::span<const std::int64_t> objects, bool leaving) const {
  std::vector<Share> shares;
  shares.reserve(columns_.size());
  for (const Column& column : columns_) {
    const std::int64_t count = objects[column.set];
    if (!column.is_payload()) {
      shares.push_back({count, count * column.bytes_per_object});
      continue;
    }
    const PayloadPlan& all = plan_of(column);
    shares.push_back(share_of_payload(Space::where(column.memory),
                                      (leaving ? all.leaving : all.arriving).data(),
                                      first[column.set], count, sizes_.most));
  }
  return shares;
}

// Adds the loads by rank.
void Freight::add_loads(bool leaving) {
  const std::size_t sets = plan_.sets.size();
  std::vector<int> ranks;
  const auto parcels_of = [&](std::size_t s) -> const std::vector<Parcel>& {
    return leaving ? plan_.sets[s].exports : plan_.sets[s].imports;
  };
  for (std::size_t s = 0; s < sets; ++s)
    for (const Parcel& parcel : parcels_of(s)) ranks.push_back(parcel.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::vector<std::size_t> next(sets);
  for (const int rank : ranks) {
    std::vector<std::int64_t> first(sets), objects(sets);
    for (std::size_t s = 0; s < sets; ++s) {
      if (next[s] == parcels_of(s).size() || parcels_of(s)[next[s]].rank != rank) continue;
      const Parcel& parcel = parcels_of(s)[next[s]++];
      first[s] = parcel.first;
      objects[s] = parcel.objects;
    }
    const std::vector<Share> shares = shares_of(first, objects, leaving);
    for (const Share& share : shares) (leaving ? sent_bytes_ : received_bytes_) += share.bytes;
    for (Message& message : cut_into_messages(columns_, shares, sizes_))
      (leaving ? leaving_ : arriving_).push_back({rank, std::move(message), first});
  }
  std::vector<int> all;
  std::set_union(partners_.begin(), partners_.end(), ranks.begin(), ranks.end(),
                 std::back_inserter(all));
  partners_ = std::move(all);
}

FieldLayout Freight::source(const Column& column) const {
  return sets_[column.set].fields()[column.index].layout();
}

FieldLayout Freight::target(const Column& column) const {
  if (!targets_.empty()) return targets_[column.set][column.index];
  return source(column);
}

// The place of a message in an array if it is one whole range there; null if it has several pieces
// or is spread.
void* Freight::place_in_array(const Load& load, bool leaving) const {
  if (load.message.pieces.size() != 1) return nullptr;
  const Piece& piece = load.message.pieces.front();
  const Column& column = columns_[piece.column];
  if (column.is_payload()) return nullptr;
  const SetPlan& set = plan_.sets[column.set];
  const FieldLayout at = leaving ? source(column) : target(column);
  const std::int64_t first =
      whole(leaving ? set.leaving : set.landing, load.first[column.set] + piece.first, piece.count);
  if (first < 0 || !at.is_packed()) return nullptr;
  if (!leaving && targets_.empty()) return &unknown_place;
  return from_object(at, first).data;
}

std::vector<Send> Freight::sends() const {
  std::vector<Send> sends;
  sends.reserve(leaving_.size());
  for (const Load& load : leaving_)
    sends.push_back(
        {load.rank, place_in_array(load, true), load.message.bytes, load.message.memory});
  return sends;
}

std::vector<Receive> Freight::receives() const {
  std::vector<Receive> receives;
  receives.reserve(arriving_.size());
  for (const Load& load : arriving_)
    receives.push_back(
        {load.rank, place_in_array(load, false), load.message.bytes, load.message.memory});
  return receives;
}

std::int64_t Freight::staging_bytes() const {
  return transfer_ ? transfer_->staging_bytes()
                   : Transfer::staging_needed(communicator_, sends(), receives(), limits_);
}

namespace {

// Fields on the host use ranges instead, if there are any.
bool asks_for_places(const Column& column) {
  return column.is_payload() || column.memory != MemoryKind::host;
}

}  // namespace

std::int64_t Freight::bytes_of_lists() const {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < plan_.sets.size(); ++s) {
    const SetPlan& set = plan_.sets[s];
    bytes +=
        set.objects.bytes() + bytes_of(set.leaving) + bytes_of(set.landing) + set.places.bytes();
    for (const PayloadPlan& payload : set.payloads)
      bytes += payload.leaving.bytes() + payload.arriving.bytes();
    std::array<bool, kinds> uses = {};
    bool lists_places = false;
    for (const Column& column : columns_) {
      if (column.set != s) continue;
      uses[index_of(column.memory)] = true;
      lists_places = lists_places || asks_for_places(column);
    }
    for (std::size_t kind = 0; kind < kinds; ++kind)
      if (uses[kind] &&
          !Space::where(static_cast<MemoryKind>(kind)).can_access(set.objects.memory()))
        bytes += list_bytes(set.count_before() + set.count_after);
    if (lists_places && set.places.empty()) bytes += list_bytes(set.count_after);
  }
  return bytes;
}

void Freight::load(std::vector<std::vector<FieldLayout>> targets) {
  targets_ = std::move(targets);
  std::size_t most_ranges = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    make_lists(s);
    stage_payloads(s);
    most_ranges =
        std::max(most_ranges, plan_.sets[s].leaving.size() + plan_.sets[s].landing.size());
  }
  ranges_.reserve(most_ranges);
  // The transfer must wait for the kernels on this space.
  const bool shared = uses_[index_of(MemoryKind::device)] || uses_[index_of(MemoryKind::shared)];
  transfer_.emplace(Space::where(shared ? MemoryKind::shared : MemoryKind::host), communicator_,
                    sends(), receives(), limits_);
}

// If ranges give the places of arrivals, a field on the host needs no list of places.
void Freight::make_lists(std::size_t set) {
  const SetPlan& plan = plan_.sets[set];
  Lists& lists = lists_[set];
  const bool has_ranges = !plan.landing.empty();
  for (const Column& column : columns_) {
    if (column.set != set) continue;
    const std::size_t kind = index_of(column.memory);
    const Space space = Space::where(column.memory);
    if (!lists.objects[kind]) lists.objects[kind].emplace(space, label, plan.objects);
    if (lists.places[kind] || (has_ranges && !asks_for_places(column))) continue;
    if (has_ranges && lists.listed.empty()) lists.listed = listed(plan.landing, plan.count_after);
    lists.places[kind].emplace(space, label, has_ranges ? lists.listed : plan.places);
  }
}

namespace {

// The sizes by place, from the first bytes of each arrival.
struct SizeAtPlace {
  const std::int64_t *starts, *places;
  std::int64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sizes[places[i]] = starts[i + 1] - starts[i];
  }
};

}  // namespace

void Freight::stage_payloads(std::size_t set) {
  const SetPlan& plan = plan_.sets[set];
  for (std::size_t p = 0; p < sets_[set].payloads().size(); ++p) {
    const Payload& payload = *sets_[set].payloads()[p];
    const Space space = Space::where(payload.memory());
    const exec::Array<std::int64_t> sizes(space, "evenkeel::migrate::sizes", plan.count_after);
    const SizeAtPlace write{plan.payloads[p].arriving.data(), list(set, payload.memory(), true),
                            sizes.data()};
    exec::for_each(space, label, sizes.size(), write);
    space.fence(label);
    auto& staged = cargo_[set].emplace_back();
    call_payload([&] {
      staged = payload.stage(plan.count_before(), sizes.span());
      if (staged == nullptr)
        throw Error(ErrorKind::application, Where{"core/payload"},
                    "'" + payload.label() + "' returned nothing from stage().",
                    "Return a StagedPayload.");
    });
  }
}

const std::int64_t* Freight::list(std::size_t set, MemoryKind kind, bool of_places) const {
  const Lists& lists = lists_[set];
  const auto& reached = (of_places ? lists.places : lists.objects)[index_of(kind)];
  return reached ? reached->data() : nullptr;
}

// The piece's objects that go to a rank or come from it, from `first` on.
PayloadPiece Freight::payload_piece(const Piece& piece, std::int64_t first, bool leaving) const {
  const Column& column = columns_[piece.column];
  const PayloadPlan& plan = plan_of(column);
  return {list(column.set, column.memory, !leaving) + first,
          (leaving ? plan.leaving : plan.arriving).data() + first, piece.count, piece.begin,
          piece.bytes};
}

FieldLayout Freight::in_message(std::byte* message, const Piece& piece) const {
  FieldLayout packed = target(columns_[piece.column]);
  packed.data = message + piece.offset;
  packed.count = packed.capacity = piece.count;
  packed.object_stride_bytes = packed.bytes_per_object();
  packed.component_stride_bytes = packed.element_bytes;
  return packed;
}

// Puts the ranges of a piece into ranges_; false if the plan has none for it.
bool Freight::finds_ranges(const Column& column, std::span<const ObjectRange> all,
                           std::int64_t first, std::int64_t count) {
  if (column.memory != MemoryKind::host || all.empty()) return false;
  ranges_within(all, first, count, ranges_);
  return true;
}

// Copies between an array and a message, in either direction.
void Freight::copy_piece(const Piece& piece, std::int64_t first, std::byte* message, bool leaving) {
  const Column& column = columns_[piece.column];
  const SetPlan& set = plan_.sets[column.set];
  const FieldLayout in_array = leaving ? source(column) : target(column);
  const FieldLayout packed = in_message(message, piece);
  const FieldLayout &to = leaving ? packed : in_array, &from = leaving ? in_array : packed;
  if (finds_ranges(column, leaving ? set.leaving : set.landing, first, piece.count)) {
    if (leaving) invert(ranges_);
    return copy_object_ranges(to, from, ranges_);
  }
  const std::int64_t* const in_order = nullptr;
  const std::int64_t* const objects = list(column.set, column.memory, !leaving) + first;
  copy_chosen_objects(Space::where(column.memory), to, leaving ? in_order : objects, from,
                      leaving ? objects : in_order, piece.count);
}

void Freight::copy_pieces(const Load& load, std::byte* message, bool leaving) {
  for (const Piece& piece : load.message.pieces) {
    const Column& column = columns_[piece.column];
    const std::int64_t first = load.first[column.set] + piece.first;
    if (!column.is_payload()) {
      copy_piece(piece, first, message, leaving);
      continue;
    }
    const PayloadPiece objects = payload_piece(piece, first, leaving);
    call_payload([&] {
      if (leaving)
        staged_payload(column).pack(objects, message + piece.offset);
      else
        staged_payload(column).unpack(objects, message + piece.offset);
    });
  }
}

void Freight::keep(std::size_t s) {
  const SetPlan& set = plan_.sets[s];
  const bool by_ranges = !set.landing.empty();
  if (by_ranges)
    joined(set.leaving, set.first_staying, set.landing, set.first_kept, set.staying, ranges_);
  for (const Column& column : columns_) {
    if (column.set != s || column.bytes_per_object == 0) continue;
    if (column.is_payload())
      call_payload([&] {
        staged_payload(column).keep(list(s, column.memory, false) + set.first_staying,
                                    list(s, column.memory, true) + set.first_kept, set.staying);
      });
    else if (by_ranges && column.memory == MemoryKind::host)
      copy_object_ranges(target(column), source(column), ranges_);
    else if (column.memory != MemoryKind::host)
      keep_chosen(column, 0, set.staying);
  }
  if (by_ranges) return;
  // Copies few objects at a time, so that the lists are still in the cache for the next field.
  const std::int64_t step = std::int64_t{8192} * exec::host_threads();
  for (std::int64_t first = 0; first < set.staying; first += step)
    for (const Column& column : columns_)
      if (column.set == s && column.bytes_per_object > 0 && column.memory == MemoryKind::host)
        keep_chosen(column, first, std::min(step, set.staying - first));
}

// Copies objects that stay.
void Freight::keep_chosen(const Column& column, std::int64_t first, std::int64_t count) const {
  const SetPlan& set = plan_.sets[column.set];
  copy_chosen_objects(Space::where(column.memory), target(column),
                      list(column.set, column.memory, true) + set.first_kept + first,
                      source(column),
                      list(column.set, column.memory, false) + set.first_staying + first, count);
}

void Freight::keep() {
  for (std::size_t s = 0; s < plan_.sets.size(); ++s)
    if (plan_.sets[s].staying > 0) keep(s);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (uses_[kind]) Space::where(static_cast<MemoryKind>(kind)).fence("evenkeel::migrate::keep");
}

void Freight::commit() noexcept {
  for (auto& of_set : cargo_)
    for (auto& staged : of_set) staged->commit();
}

// The functions are referred to, which takes no memory.
void Freight::exchange(bool works, FreightTimes& times) {
  const auto timed = [](double& seconds, const auto& function) {
    const Stopwatch stopwatch;
    function();
    seconds += stopwatch.seconds();
  };
  const auto fill = [&](std::size_t i, std::byte* to) {
    timed(times.pack, [&] { copy_pieces(leaving_[i], to, true); });
  };
  const auto take = [&](std::size_t i, const std::byte* from) {
    timed(times.unpack, [&] {
      copy_pieces(arriving_[i], const_cast<std::byte*>(from), false);  // only read
    });
  };
  const auto stay = [&] { timed(times.unpack, [&] { keep(); }); };
  TransferWork work;
  if (works) {
    work.fill = std::cref(fill);
    work.take = std::cref(take);
    work.meanwhile = std::cref(stay);
  }
  transfer_->run(work);
}

}  // namespace evenkeel
