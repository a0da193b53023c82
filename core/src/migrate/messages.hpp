#pragma once

// Cuts the data for one rank into messages. Both sides make the same messages, because these depend
// only on the fields and on the number of objects of each set, which both sides know.

#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// One column for each field of each set, and for each payload.
struct MessageColumn {
  std::size_t set, index;  // among the fields or payloads of the set
  MemoryKind memory;
  std::int64_t bytes_per_object;  // any_bytes for a payload
  bool is_payload() const noexcept { return bytes_per_object < 0; }
};
constexpr std::int64_t any_bytes = -1;

// Objects of a payload that travel in one message, if the payload travels apart from other columns.
struct Stretch {
  std::int64_t objects, bytes;
};

// The share of one column that a rank gets or sends.
struct ColumnShare {
  std::int64_t objects, bytes;
  std::int64_t begin = 0;               // for a payload, the bytes of all objects before these
  std::vector<Stretch> stretches = {};  // for a payload that travels apart
};

// Adjacent objects of one column in a message. `first` counts among the objects for its rank.
struct Piece {
  std::size_t column;
  std::int64_t first, count;
  std::int64_t offset;     // in the message, in bytes
  std::int64_t begin = 0;  // for a payload, the bytes of all objects before these
  std::int64_t bytes = 0;  // for a payload, the bytes of these objects
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
  // The greatest size of a message. A single object that is larger is not divided.
  std::int64_t most = std::int64_t{1} << 20;
};

// The share of a payload that goes to one rank: objects from `first` on, whose bytes begin at
// `starts`, in messages of at most `most` bytes. The list is in memory that the space works on.
// Blocks.
ColumnShare share_of_payload(const Space& space, const std::int64_t* starts, std::int64_t first,
                             std::int64_t objects, std::int64_t most);

// shares[c] is the share of column c. Columns that do not travel apart are fused, by kind of
// memory; each piece begins at a multiple of 16 bytes.
std::vector<Message> cut_into_messages(std::span<const MessageColumn> columns,
                                       std::span<const ColumnShare> shares,
                                       const MessageSizes& sizes);

}  // namespace evenkeel
