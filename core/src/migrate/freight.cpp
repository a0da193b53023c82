#include "migrate/freight.hpp"

#include "field/call.hpp"
#include "field/copy.hpp"
#include "field/copy_ranges.hpp"
#include "field/ranges.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <algorithm>
#include <limits>

namespace evenkeel {

namespace {

// Returns the part of a layout that begins at object `first`.
FieldLayout from_object(FieldLayout at, std::int64_t first) {
  at.data = static_cast<std::byte*>(at.data) + first * at.object_stride_bytes;
  return at;
}

// Returns the destination of the `count` objects from `first` on if one range contains all of them,
// and `spread` otherwise.
std::int64_t whole(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count) {
  constexpr std::int64_t spread = -1;
  const auto range = range_of(ranges, first);
  if (range == ranges.end() || range->from > first) return spread;
  const std::int64_t skipped = first - range->from;
  return skipped + count <= range->count ? range->to + skipped : spread;
}

// If all ranks have the same options, all ranks have the same limits.
TransferLimits limits_of(const MoveOptions& options) {
  constexpr int most = std::numeric_limits<int>::max();
  const bool bounded = options.staging_bytes > 0;
  return {bounded ? options.staging_bytes : std::numeric_limits<std::int64_t>::max(),
          options.messages_in_flight > 0 ? options.messages_in_flight : most};
}

// The room for a message in memory is a multiple of this many bytes.
constexpr std::int64_t slot_step = 64;

MessageSizes sizes_of(const TransferLimits& limits) {
  MessageSizes sizes;
  constexpr int many = 64;  // if more messages may be in flight, they do not get smaller
  const std::int64_t affordable =
      limits.staging_bytes / 2 / std::min(limits.in_flight, many) / slot_step * slot_step;
  sizes.most = std::clamp<std::int64_t>(affordable, 1, sizes.most);
  sizes.apart = std::min(sizes.apart, sizes.most);
  return sizes;
}

// A message whose place is not known yet points to this byte.
std::byte unknown_place;

}  // namespace

Freight::Freight(const Communicator& communicator, std::span<const Set> sets,
                 std::span<const SetShape> shapes, const Plan& plan, const MoveOptions& options)
    : communicator_(communicator),
      sets_(sets),
      plan_(plan),
      limits_(limits_of(options)),
      manifest_(sets, shapes, plan, sizes_of(limits_)),
      lists_(plan),
      cargo_(sets.size()) {}

FieldLayout Freight::source(const MessageColumn& column) const {
  return sets_[column.set].fields()[column.index].layout();
}

FieldLayout Freight::target(const MessageColumn& column) const {
  if (!targets_.empty()) return targets_[column.set][column.index];
  return source(column);
}

// Returns the place of a message in an array, if the message is one range of a packed field.
// Otherwise, returns null.
void* Freight::place_in_array(const Load& load, bool leaving) const {
  if (load.message.pieces.size() != 1) return nullptr;
  const Piece& piece = load.message.pieces.front();
  const MessageColumn& column = manifest_.columns()[piece.column];
  if (column.is_payload()) return nullptr;
  const SetPlan& set = plan_.sets[column.set];
  const FieldLayout at = leaving ? source(column) : target(column);
  const std::int64_t first =
      whole(leaving ? set.leaving : set.landing, load.first[column.set] + piece.first, piece.count);
  if (first < 0 || !at.is_packed()) return nullptr;
  if (!leaving && targets_.empty()) return &unknown_place;
  return from_object(at, first).data;
}

// Makes the messages of the loads, as sends or as receives.
template <class Message>
std::vector<Message> Freight::messages_of(const std::vector<Load>& loads) const {
  std::vector<Message> messages;
  messages.reserve(loads.size());
  for (const Load& load : loads)
    messages.push_back({load.rank, place_in_array(load, std::is_same_v<Message, Send>),
                        load.message.bytes, load.message.memory});
  return messages;
}
std::vector<Send> Freight::sends() const { return messages_of<Send>(manifest_.leaving()); }
std::vector<Receive> Freight::receives() const {
  return messages_of<Receive>(manifest_.arriving());
}

std::int64_t Freight::staging_bytes() const {
  return transfer_ ? transfer_->staging_bytes()
                   : Transfer::staging_needed(communicator_, sends(), receives(), limits_);
}

void Freight::load(std::vector<std::vector<FieldLayout>> targets) {
  targets_ = std::move(targets);
  std::size_t most_ranges = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    lists_.make(s, manifest_.columns());
    stage_payloads(s);
    most_ranges =
        std::max(most_ranges, plan_.sets[s].leaving.size() + plan_.sets[s].landing.size());
  }
  ranges_.reserve(most_ranges);
  // The transfer must wait for the kernels on this space.
  const bool shared = manifest_.uses(MemoryKind::device) || manifest_.uses(MemoryKind::shared);
  transfer_.emplace(Space::where(shared ? MemoryKind::shared : MemoryKind::host), communicator_,
                    sends(), receives(), limits_);
}

namespace {

constexpr const char* freight_label = "evenkeel::migrate::sizes";

// Writes the size of each arrival at its place. The bytes of arrival i are [starts[i], starts[i +
// 1]).
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
    const exec::Array<std::int64_t> sizes(space, freight_label, plan.count_after);
    const SizeAtPlace write{plan.payloads[p].arriving.data(), lists_.places(set, payload.memory()),
                            sizes.data()};
    exec::for_each(space, freight_label, sizes.size(), write);
    space.fence(freight_label);
    auto& staged = cargo_[set].emplace_back();
    call_payload([&] {
      staged = payload.stage(plan.count_before(), sizes.span());
      if (staged == nullptr)
        throw Error(ErrorKind::application, Where{"core/payload"},
                    "'" + payload.label() + "' returned nothing from stage().",
                    "Return a Payload::Staged.");
    });
  }
}

// Describes the objects of a piece of a payload. `first` is the index of the piece's first object
// in the lists of the plan.
Payload::Piece Freight::payload_piece(const Piece& piece, std::int64_t first, bool leaving) const {
  const MessageColumn& column = manifest_.columns()[piece.column];
  const PayloadPlan& plan = plan_of(column);
  return {list(column, !leaving) + first, (leaving ? plan.leaving : plan.arriving).data() + first,
          piece.count, piece.begin, piece.bytes};
}

FieldLayout Freight::in_message(std::byte* message, const Piece& piece) const {
  const FieldLayout at = target(manifest_.columns()[piece.column]);
  return packed_like(at, message + piece.offset, at.memory, piece.count);
}

// Writes the ranges of a piece to ranges_. Returns false if the piece has to be copied by lists.
bool Freight::finds_ranges(const MessageColumn& column, std::span<const ObjectRange> all,
                           std::int64_t first, std::int64_t count) {
  if (column.memory != MemoryKind::host || all.empty()) return false;
  ranges_within(all, first, count, ranges_);
  return true;
}

// Copies between an array and a message, in either direction.
void Freight::copy_piece(const Piece& piece, std::int64_t first, std::byte* message, bool leaving) {
  const MessageColumn& column = manifest_.columns()[piece.column];
  const SetPlan& set = plan_.sets[column.set];
  const FieldLayout in_array = leaving ? source(column) : target(column);
  const FieldLayout packed = in_message(message, piece);
  const FieldLayout &to = leaving ? packed : in_array, &from = leaving ? in_array : packed;
  if (finds_ranges(column, leaving ? set.leaving : set.landing, first, piece.count)) {
    if (leaving) invert(ranges_);
    return copy_object_ranges(to, from, ranges_);
  }
  const std::int64_t* const in_order = nullptr;
  const std::int64_t* const objects = list(column, !leaving) + first;
  copy_chosen_objects(Space::where(column.memory), to, leaving ? in_order : objects, from,
                      leaving ? objects : in_order, piece.count);
}

void Freight::copy_pieces(const Load& load, std::byte* message, bool leaving) {
  for (const Piece& piece : load.message.pieces) {
    const MessageColumn& column = manifest_.columns()[piece.column];
    const std::int64_t first = load.first[column.set] + piece.first;
    if (!column.is_payload()) {
      copy_piece(piece, first, message, leaving);
      continue;
    }
    const Payload::Piece objects = payload_piece(piece, first, leaving);
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
  for (const MessageColumn& column : manifest_.columns()) {
    if (column.set != s || column.bytes_per_object == 0) continue;
    if (column.is_payload())
      call_payload([&] {
        staged_payload(column).keep(list(column, false) + set.first_staying,
                                    list(column, true) + set.first_kept, set.staying);
      });
    else if (by_ranges && column.memory == MemoryKind::host)
      copy_object_ranges(target(column), source(column), ranges_);
    else if (column.memory != MemoryKind::host)
      keep_chosen(column, 0, set.staying);
  }
  if (by_ranges) return;
  // Copies all fields of a few objects, then those of the next few, so that the lists stay in the
  // cache from field to field.
  const std::int64_t step = std::int64_t{8192} * exec::host_threads();
  for (std::int64_t first = 0; first < set.staying; first += step)
    for (const MessageColumn& column : manifest_.columns())
      if (column.set == s && column.bytes_per_object > 0 && column.memory == MemoryKind::host)
        keep_chosen(column, first, std::min(step, set.staying - first));
}

// Copies `count` of the objects that stay; they are counted from `first`.
void Freight::keep_chosen(const MessageColumn& column, std::int64_t first,
                          std::int64_t count) const {
  const SetPlan& set = plan_.sets[column.set];
  copy_chosen_objects(Space::where(column.memory), target(column),
                      list(column, true) + set.first_kept + first, source(column),
                      list(column, false) + set.first_staying + first, count);
}

void Freight::keep() {
  for (std::size_t s = 0; s < plan_.sets.size(); ++s)
    if (plan_.sets[s].staying > 0) keep(s);
  for (const MemoryKind kind : {MemoryKind::host, MemoryKind::device, MemoryKind::shared})
    if (manifest_.uses(kind)) Space::where(kind).fence("evenkeel::migrate::keep");
}

void Freight::commit() noexcept {
  for (auto& of_set : cargo_)
    for (auto& staged : of_set) staged->commit();
}

// The transfer gets references to the functions, because this allocates no memory.
void Freight::exchange(bool works, FreightTimes& times) {
  const auto timed = [](double& seconds, const auto& function) {
    const Stopwatch stopwatch;
    function();
    seconds += stopwatch.seconds();
  };
  const auto fill = [&](std::size_t i, std::byte* to) {
    timed(times.pack, [&] { copy_pieces(manifest_.leaving()[i], to, true); });
  };
  const auto take = [&](std::size_t i, const std::byte* from) {
    timed(times.unpack, [&] {
      copy_pieces(manifest_.arriving()[i], const_cast<std::byte*>(from), false);  // only read from
    });
  };
  const auto stay = [&] {
    timed(times.unpack, [&] { keep(); });
    return false;
  };
  TransferWork work;
  if (works) {
    work.fill = std::cref(fill);
    work.take = std::cref(take);
    work.meanwhile = std::cref(stay);
  }
  transfer_->run(work);
}

}  // namespace evenkeel
