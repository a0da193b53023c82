#pragma once

// How what goes to one rank is cut into messages. Both sides do it alike, from what both know: the
// fields, and how many objects of each set there are.

#include <evenkeel/backends/exec/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// One of all fields of all sets.
struct Column {
  std::size_t set, field;
  MemoryKind memory;
  std::int64_t bytes_per_object;
};

// Objects of one field, side by side in a message. `first`: among those that go to its rank.
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

// objects[s]: of set s. All other fields of one kind of memory are fused, each beginning at a
// multiple of 16 bytes.
std::vector<Message> cut_into_messages(std::span<const Column> columns,
                                       std::span<const std::int64_t> objects,
                                       const MessageSizes& sizes);

}  // namespace evenkeel
