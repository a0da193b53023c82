#pragma once

// How what goes to one rank is cut into messages. Both sides do it alike, from what both know: the
// fields, and how many objects of each set there are.

#include <evenkeel/backends/exec/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// One of all fields of all sets, or of all payloads.
struct Column {
  std::size_t set, index;  // among the fields or payloads of the set
  MemoryKind memory;
  std::int64_t bytes_per_object;  // none: a payload
  bool is_payload() const noexcept { return bytes_per_object < 0; }
};
constexpr std::int64_t any_bytes = -1;

// What goes to a rank, or comes from it, of one column.
struct Share {
  std::int64_t objects;
  std::span<const std::int64_t> starts = {};  // of a payload: objects + 1, in bytes

  std::int64_t bytes_of(const Column& column, std::int64_t first, std::int64_t count) const {
    return column.is_payload() ? starts[static_cast<std::size_t>(first + count)] -
                                     starts[static_cast<std::size_t>(first)]
                               : count * column.bytes_per_object;
  }
};

// Objects of one column, side by side in a message. `first`: among those that go to its rank.
struct Piece {
  std::size_t column;
  std::int64_t first, count;
  std::int64_t offset;  // in the message, in bytes
};

struct Message {
  MemoryKind memory;
  std::int64_t bytes = 0;
  std::vector<Piece> pieces = {};
};

struct MessageSizes {
  // A field with more bytes than this for one rank travels apart from the others: it can go
  // straight from its array, and arrive straight in the new one.
  std::int64_t apart = std::int64_t{256} << 10;
  // At most; but an object is never cut.
  std::int64_t most = std::int64_t{1} << 20;
};

// shares[c]: of column c. All that does not travel apart is fused by the kind of its memory, each
// piece beginning at a multiple of 16 bytes.
std::vector<Message> cut_into_messages(std::span<const Column> columns,
                                       std::span<const Share> shares, const MessageSizes& sizes);

}  // namespace evenkeel
