#include "migrate/parcels.hpp"

#include "field/copy.hpp"
#include "migrate/merge.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

constexpr int host = static_cast<int>(MemoryKind::host);

// Shorter runs of objects than this, on average, are copied object by object.
constexpr std::int64_t long_run = 4;

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

int kind_of(const FieldLayout& at) { return static_cast<int>(at.memory); }

std::int64_t bytes_of_indices(std::int64_t count) {
  return count * static_cast<std::int64_t>(sizeof(std::int64_t));
}

}  // namespace

Parcels::Parcels(const Communicator& communicator, std::span<const Set> sets,
                 std::span<const Order> orders, const Plan& plan, std::span<const StagedSet> staged)
    : sets_(sets), orders_(orders), plan_(plan), staged_(staged), rank_(communicator.rank()) {
  for (const StagedSet& set : staged)
    for (const StagedField& field : set.fields()) uses_[kind_of(field.layout())] = true;
  indices_.resize(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (const StagedField& field : staged[s].fields())
      indices_[s].on_host = indices_[s].on_host && kind_of(field.layout()) == host;
  lay_out(leaving_, true);
  lay_out(arriving_, false);
  for (std::size_t s = 0; s < sets.size(); ++s) make_indices(s);
  find_ranges();
  make_transfer(communicator);
}

// Finds or makes the messages of each rank, in the order of ranks, and the blocks in them.
void Parcels::lay_out(Side& side, bool leaving) {
  const auto message_of = [&](int rank) -> Message& {
    const auto at = std::lower_bound(side.messages.begin(), side.messages.end(), rank,
                                     [](const Message& m, int r) { return m.rank < r; });
    if (at != side.messages.end() && at->rank == rank) return *at;
    return *side.messages.insert(at, Message{rank, {}, {}, {}});
  };
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const SetPlan& set = plan_.sets[s];
    if (leaving) {
      for (const Parcel& parcel : set.exports)
        add_block(message_of(parcel.rank), s,
                  set.offsets[static_cast<std::size_t>(plan_.part_of(parcel.rank))],
                  parcel.objects);
      continue;
    }
    std::int64_t arrived = 0;
    bool passed = false;  // this rank's own place in the order of arrival
    const auto pass = [&] {
      indices_[s].first_staying = arrived;
      arrived += set.staying;
      passed = true;
    };
    for (const Parcel& parcel : set.imports) {
      if (!passed && parcel.rank > rank_) pass();
      add_block(message_of(parcel.rank), s, arrived, parcel.objects);
      arrived += parcel.objects;
    }
    if (!passed) pass();
  }
  make_buffers(side, leaving);
}

void Parcels::add_block(Message& message, std::size_t set, std::int64_t first, std::int64_t count) {
  Block block{set, first, count, {}, message.bytes[host]};
  message.bytes[host] += rounded_up(count * static_cast<std::int64_t>(sizeof(CurveKey)));
  for (const StagedField& field : staged_[set].fields()) {
    std::int64_t& end = message.bytes[kind_of(field.layout())];
    block.offset_of_field.push_back(end);
    end += rounded_up(count * field.layout().bytes_per_object());
  }
  message.blocks.push_back(std::move(block));
}

void Parcels::make_buffers(Side& side, bool leaving) {
  const std::string label = leaving ? "evenkeel::migrate::leaving" : "evenkeel::migrate::arriving";
  for (int kind = 0; kind < kinds; ++kind) {
    std::int64_t bytes = 0;
    for (Message& message : side.messages) {
      message.offset[kind] = bytes;
      bytes += message.bytes[kind];
    }
    if (bytes == 0) continue;
    side.buffers[kind] = kind == host ? Buffer::for_staging(label, bytes)
                                      : Buffer(label, static_cast<MemoryKind>(kind), bytes);
  }
}

void Parcels::make_indices(std::size_t set) {
  Indices& indices = indices_[set];
  const std::int64_t before = std::ssize(orders_[set].objects);
  const std::int64_t after = plan_.sets[set].count_after;
  indices.keys = Buffer("evenkeel::migrate::keys", MemoryKind::host,
                        after * static_cast<std::int64_t>(sizeof(CurveKey)));
  indices.order = Buffer("evenkeel::migrate::order", MemoryKind::host, bytes_of_indices(after));
  for (int kind = 0; kind < kinds; ++kind) {
    const auto memory = static_cast<MemoryKind>(kind);
    if (kind == host || uses_[kind])
      indices.placed[kind] = Buffer("evenkeel::migrate::placed", memory, bytes_of_indices(after));
    if (kind != host && uses_[kind])
      indices.chosen[kind] = Buffer("evenkeel::migrate::chosen", memory, bytes_of_indices(before));
  }
}

std::span<CurveKey> Parcels::keys_of(std::size_t set) const {
  return {reinterpret_cast<CurveKey*>(indices_[set].keys.data()),
          static_cast<std::size_t>(plan_.sets[set].count_after)};
}

// Of what leaves.
void Parcels::find_ranges() {
  for (Message& message : leaving_.messages)
    for (Block& block : message.blocks) {
      if (!indices_[block.set].on_host) continue;
      const auto objects = std::span(orders_[block.set].objects)
                               .subspan(static_cast<std::size_t>(block.first),
                                        static_cast<std::size_t>(block.count));
      std::vector<ObjectRange> ranges;
      ranges.reserve(static_cast<std::size_t>(block.count / long_run) + 1);
      if (add_ranges(ranges, objects, 0)) block.ranges = std::move(ranges);
    }
}

void Parcels::make_transfer(const Communicator& communicator) {
  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::vector<int> ranks;
  for (int kind = 0; kind < kinds; ++kind) {
    const auto memory = static_cast<MemoryKind>(kind);
    for (const Message& m : leaving_.messages)
      if (m.bytes[kind] > 0)
        sends.push_back(
            {m.rank, leaving_.buffers[kind].data() + m.offset[kind], m.bytes[kind], memory});
    for (const Message& m : arriving_.messages)
      if (m.bytes[kind] > 0)
        receives.push_back(
            {m.rank, arriving_.buffers[kind].data() + m.offset[kind], m.bytes[kind], memory});
  }
  for (const Message& m : leaving_.messages) {
    ranks.push_back(m.rank);
    for (const Block& block : m.blocks)
      for (const StagedField& field : staged_[block.set].fields())
        sent_bytes_ += block.count * field.layout().bytes_per_object();
  }
  for (const Message& m : arriving_.messages) ranks.push_back(m.rank);
  std::sort(ranks.begin(), ranks.end());
  partners_ = static_cast<int>(std::unique(ranks.begin(), ranks.end()) - ranks.begin());
  const bool device = uses_[static_cast<int>(MemoryKind::device)];
  transfer_.emplace(Space::where(device ? MemoryKind::device : MemoryKind::host), communicator,
                    sends, receives);
}

FieldLayout Parcels::in_message(const Side& side, const Message& message, const Block& block,
                                std::size_t field) const {
  FieldLayout packed = staged_[block.set].fields()[field].layout();
  const int kind = kind_of(packed);
  packed.data = side.buffers[kind].data() + message.offset[kind] + block.offset_of_field[field];
  packed.count = packed.capacity = block.count;
  packed.object_stride_bytes = packed.bytes_per_object();
  packed.component_stride_bytes = packed.element_bytes;
  return packed;
}

CurveKey* Parcels::keys_in(const Side& side, const Message& message, const Block& block) const {
  return reinterpret_cast<CurveKey*>(side.buffers[host].data() + message.offset[host] +
                                     block.offset_of_keys);
}

// The host's lists where the host can read the field, copies of them elsewhere.
const std::int64_t* Parcels::on_kind(std::size_t set, int kind, bool places) const {
  if (kind == host && !places) return orders_[set].objects.data();
  const Buffer& copy = places ? indices_[set].placed[kind] : indices_[set].chosen[kind];
  return reinterpret_cast<const std::int64_t*>(copy.data());
}

void Parcels::upload(std::size_t set, bool places) {
  for (int kind = 0; kind < kinds; ++kind) {
    if (kind == host || !uses_[kind]) continue;
    const Buffer& copy = places ? indices_[set].placed[kind] : indices_[set].chosen[kind];
    copy_bytes(Space::where(copy.kind()), copy.data(), copy.kind(), on_kind(set, host, places),
               MemoryKind::host, copy.bytes());
  }
}

void Parcels::fence() const {
  for (int kind = 0; kind < kinds; ++kind)
    if (uses_[kind]) Space::where(static_cast<MemoryKind>(kind)).fence("evenkeel::migrate");
}

void Parcels::pack() {
  for (std::size_t s = 0; s < sets_.size(); ++s) upload(s, false);
  for (const Message& message : leaving_.messages)
    for (const Block& block : message.blocks) {
      std::copy_n(orders_[block.set].keys.data() + block.first, block.count,
                  keys_in(leaving_, message, block));
      for (std::size_t f = 0; f < sets_[block.set].fields().size(); ++f) {
        const FieldLayout from = sets_[block.set].fields()[f].layout();
        const FieldLayout to = in_message(leaving_, message, block, f);
        if (!block.ranges.empty())
          copy_object_ranges(to, from, block.ranges);
        else
          copy_chosen_objects(Space::where(from.memory), to, nullptr, from,
                              on_kind(block.set, kind_of(from), false) + block.first, block.count);
      }
    }
  fence();
}

std::vector<Parcels::Source> Parcels::sources_of(std::size_t set) {
  std::vector<Source> sources = {{indices_[set].first_staying, nullptr, nullptr}};
  for (Message& message : arriving_.messages)
    for (Block& block : message.blocks)
      if (block.set == set) sources.push_back({block.first, &message, &block});
  // Where none stay, they come before the others of their place.
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.first < b.first; });
  return sources;
}

std::vector<std::int64_t> Parcels::firsts_of(std::span<const Source> sources) {
  std::vector<std::int64_t> firsts;
  firsts.reserve(sources.size());
  for (const Source& source : sources) firsts.push_back(source.first);
  return firsts;
}

// Objects of one key keep the order of arrival, which is that of the ranks they were on.
void Parcels::place_arrivals(std::size_t set, std::span<const Source> sources) {
  const std::span<CurveKey> keys = keys_of(set);
  const std::span order(reinterpret_cast<std::int64_t*>(indices_[set].order.data()), keys.size());
  merge_order(keys, firsts_of(sources), order);
  auto* const places = reinterpret_cast<std::int64_t*>(indices_[set].placed[host].data());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int64_t>(i);
}

// Finds where all come to stand, in ranges: false when these are too short.
bool Parcels::merge_arrivals(std::size_t set) {
  Indices& indices = indices_[set];
  if (!indices.on_host) return false;
  const std::vector<Source> sources = sources_of(set);
  const std::vector<std::int64_t> firsts = firsts_of(sources);
  const std::span<const CurveKey> keys = keys_of(set);
  const std::vector<ObjectRange> ranges =
      merged_runs(keys, firsts, std::ssize(keys) / long_run + std::ssize(sources));
  if (ranges.empty() && !keys.empty()) return false;
  const std::span<const std::int64_t> objects = orders_[set].objects;
  const SetPlan& plan = plan_.sets[set];
  const std::int64_t staying = plan.offsets[static_cast<std::size_t>(plan_.part_of(rank_))];
  indices.staying.reserve(static_cast<std::size_t>(plan.staying / long_run) + ranges.size());
  for (const ObjectRange& range : ranges) {
    const auto after = std::upper_bound(firsts.begin(), firsts.end(), range.from);
    const Source& source = sources[static_cast<std::size_t>(after - firsts.begin()) - 1];
    const std::int64_t from = range.from - source.first;
    if (source.block != nullptr)
      source.block->ranges.push_back({from, range.to, range.count});
    else if (!add_ranges(indices.staying,
                         objects.subspan(static_cast<std::size_t>(staying + from),
                                         static_cast<std::size_t>(range.count)),
                         range.to))
      return false;
  }
  return true;
}

void Parcels::unpack_ranges(std::size_t set) {
  const std::vector<Source> sources = sources_of(set);
  for (std::size_t f = 0; f < sets_[set].fields().size(); ++f) {
    const FieldLayout to = staged_[set].fields()[f].layout();
    copy_object_ranges(to, sets_[set].fields()[f].layout(), indices_[set].staying);
    for (const Source& source : sources)
      if (source.block != nullptr)
        copy_object_ranges(to, in_message(arriving_, *source.message, *source.block, f),
                           source.block->ranges);
  }
}

void Parcels::unpack_chosen(std::size_t set) {
  const SetPlan& plan = plan_.sets[set];
  const std::int64_t staying = plan.offsets[static_cast<std::size_t>(plan_.part_of(rank_))];
  const std::vector<Source> sources = sources_of(set);
  place_arrivals(set, sources);
  upload(set, true);
  for (std::size_t f = 0; f < sets_[set].fields().size(); ++f) {
    const FieldLayout to = staged_[set].fields()[f].layout();
    const int kind = kind_of(to);
    const Space space = Space::where(to.memory);
    const std::int64_t* const places = on_kind(set, kind, true);
    copy_chosen_objects(space, to, places + indices_[set].first_staying,
                        sets_[set].fields()[f].layout(), on_kind(set, kind, false) + staying,
                        plan.staying);
    for (const Source& source : sources)
      if (source.block != nullptr)
        copy_chosen_objects(space, to, places + source.first,
                            in_message(arriving_, *source.message, *source.block, f), nullptr,
                            source.block->count);
  }
}

void Parcels::unpack() {
  for (const Message& message : arriving_.messages)
    for (const Block& block : message.blocks)
      std::copy_n(keys_in(arriving_, message, block), block.count,
                  keys_of(block.set).data() + block.first);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const SetPlan& set = plan_.sets[s];
    const std::int64_t staying = set.offsets[static_cast<std::size_t>(plan_.part_of(rank_))];
    std::copy_n(orders_[s].keys.data() + staying, set.staying,
                keys_of(s).data() + indices_[s].first_staying);
    merge_arrivals(s) ? unpack_ranges(s) : unpack_chosen(s);
  }
  fence();
}

}  // namespace evenkeel
