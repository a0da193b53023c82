#include "migrate/messages.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

// Objects without a byte are told of, too.
constexpr std::int64_t least_bytes = 1;

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

// How many objects from `first` on fit into a message; one at least.
std::int64_t fitting(const Column& at, const Share& share, std::int64_t first, std::int64_t most) {
  const std::int64_t left = share.objects - first;
  if (!at.is_payload()) return std::clamp<std::int64_t>(most / at.bytes_per_object, 1, left);
  const auto begin = share.starts.begin() + first;
  const auto end = std::upper_bound(begin, share.starts.end(), *begin + most);
  return std::clamp<std::int64_t>(end - begin - 1, 1, left);
}

void add_apart(std::vector<Message>& messages, std::size_t column, const Column& at,
               const Share& share, std::int64_t most) {
  for (std::int64_t first = 0; first < share.objects;) {
    const std::int64_t count = fitting(at, share, first, most);
    const std::int64_t bytes = std::max(least_bytes, share.bytes_of(at, first, count));
    messages.push_back({at.memory, bytes, {{column, first, count, 0}}});
    first += count;
  }
}

}  // namespace

std::vector<Message> cut_into_messages(std::span<const Column> columns,
                                       std::span<const Share> shares, const MessageSizes& sizes) {
  std::vector<Message> messages;
  for (const MemoryKind memory : {MemoryKind::host, MemoryKind::device, MemoryKind::shared}) {
    Message fused{memory};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& at = columns[c];
      const std::int64_t count = shares[c].objects, bytes = shares[c].bytes_of(at, 0, count);
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
      fused.pieces.push_back({c, 0, count, offset});
      fused.bytes = std::max(least_bytes, offset + bytes);
    }
    if (!fused.pieces.empty()) messages.push_back(std::move(fused));
  }
  return messages;
}

}  // namespace evenkeel
