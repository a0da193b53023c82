#include "migrate/messages.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

void add_apart(std::vector<Message>& messages, const Column& at, std::size_t column,
               std::int64_t objects, std::int64_t most) {
  const std::int64_t step = std::max<std::int64_t>(1, most / at.bytes_per_object);
  for (std::int64_t first = 0; first < objects; first += step) {
    const std::int64_t count = std::min(step, objects - first);
    messages.push_back({at.memory, count * at.bytes_per_object, {{column, first, count, 0}}});
  }
}

}  // namespace

std::vector<Message> cut_into_messages(std::span<const Column> columns,
                                       std::span<const std::int64_t> objects,
                                       const MessageSizes& sizes) {
  std::vector<Message> messages;
  for (const MemoryKind memory : {MemoryKind::host, MemoryKind::device, MemoryKind::shared}) {
    Message fused{memory};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& at = columns[c];
      const std::int64_t count = objects[at.set], bytes = count * at.bytes_per_object;
      if (at.memory != memory || bytes == 0) continue;
      if (bytes > sizes.apart) {
        add_apart(messages, at, c, count, sizes.most);
        continue;
      }
      if (!fused.pieces.empty() && rounded_up(fused.bytes) + bytes > sizes.most) {
        messages.push_back(std::move(fused));
        fused = Message{memory};
      }
      const std::int64_t offset = rounded_up(fused.bytes);
      fused.pieces.push_back({c, 0, count, offset});
      fused.bytes = offset + bytes;
    }
    if (!fused.pieces.empty()) messages.push_back(std::move(fused));
  }
  return messages;
}

}  // namespace evenkeel
