#include "migrate/messages.hpp"

#include "order/bisect.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

// A message has at least this many bytes, also if its objects have no bytes at all.
constexpr std::int64_t least_bytes = 1;

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

std::vector<Stretch> even_stretches(const MessageColumn& at, std::int64_t objects,
                                    std::int64_t most) {
  std::vector<Stretch> stretches;
  for (std::int64_t first = 0; first < objects;) {
    const std::int64_t count =
        std::clamp<std::int64_t>(most / at.bytes_per_object, 1, objects - first);
    stretches.push_back({count, count * at.bytes_per_object});
    first += count;
  }
  return stretches;
}

void add_apart(std::vector<Message>& messages, std::size_t column, const MessageColumn& at,
               const ColumnShare& share, std::int64_t most) {
  std::int64_t first = 0, begin = share.begin;
  const std::vector<Stretch> stretches =
      at.is_payload() ? share.stretches : even_stretches(at, share.objects, most);
  for (const Stretch& stretch : stretches) {
    const Piece piece{column, first, stretch.objects, 0, begin, stretch.bytes};
    messages.push_back({at.memory, std::max(least_bytes, stretch.bytes), {piece}});
    first += stretch.objects;
    begin += stretch.bytes;
  }
}

// Each stretch begins where the previous one ends, so a single thread finds one after the other.
struct FindStretches {
  const std::int64_t* starts;
  std::int64_t objects, most, room;
  Stretch* stretches;
  std::int64_t* found;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    std::int64_t count = 0;
    for (std::int64_t first = 0; first < objects && count < room; ++count) {
      const std::int64_t* const from = starts + first;
      const std::int64_t limit = most;
      // Each message has at least one object.
      const std::int64_t fitting =
          1 + count_before(objects - first - 1, [from, limit](std::int64_t i) {
            return from[i + 2] - from[0] <= limit;
          });
      stretches[count] = {fitting, from[fitting] - from[0]};
      first += fitting;
    }
    *found = count;
  }
};

}  // namespace

ColumnShare share_of_payload(const Space& space, const std::int64_t* starts, std::int64_t first,
                             std::int64_t objects, std::int64_t most) {
  if (objects == 0) return {};
  constexpr const char* label = "evenkeel::migrate::stretches";
  constexpr std::int64_t each = sizeof(std::int64_t);
  const exec::Array<std::int64_t> there(space, label, 1);
  std::int64_t begin = 0, end = 0, found = 0;
  copy_bytes(space, &begin, MemoryKind::host, starts + first, there.memory(), each);
  copy_bytes(space, &end, MemoryKind::host, starts + first + objects, there.memory(), each);
  space.fence(label);
  ColumnShare share{objects, end - begin, begin};
  // Two successive stretches together have more bytes than one message can have, so this is enough
  // room.
  const std::int64_t room = std::min(objects, 2 * (share.bytes / most) + 2);
  const exec::Array<Stretch> stretches(space, label, room);
  exec::for_each(
      space, label, 1,
      FindStretches{starts + first, objects, most, room, stretches.data(), there.data()});
  there.fetch(0, {&found, 1});
  share.stretches.resize(static_cast<std::size_t>(found));
  stretches.fetch(0, share.stretches);
  return share;
}

std::vector<Message> cut_into_messages(std::span<const MessageColumn> columns,
                                       std::span<const ColumnShare> shares,
                                       const MessageSizes& sizes) {
  std::vector<Message> messages;
  for (const MemoryKind memory : {MemoryKind::host, MemoryKind::device, MemoryKind::shared}) {
    Message fused{memory};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const MessageColumn& at = columns[c];
      const std::int64_t count = shares[c].objects, bytes = shares[c].bytes;
      if (at.memory != memory || count == 0 || at.bytes_per_object == 0) continue;
      if (bytes > sizes.apart) {
        add_apart(messages, c, at, shares[c], sizes.most);
        continue;
      }
      if (!fused.pieces.empty() && rounded_up(fused.bytes) + bytes > sizes.most) {
        messages.push_back(std::move(fused));
        fused = Message{memory};
      }
      const std::int64_t offset = rounded_up(fused.bytes);
      fused.pieces.push_back({c, 0, count, offset, shares[c].begin, bytes});
      fused.bytes = std::max(least_bytes, offset + bytes);
    }
    if (!fused.pieces.empty()) messages.push_back(std::move(fused));
  }
  return messages;
}

}  // namespace evenkeel
