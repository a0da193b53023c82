#pragma once

// Cuts the data for one rank into messages. The cut depends only on the fields and on the numbers
// of objects and bytes of each set. Sender and receiver know these, so they cut in the same way.

#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// A field or a payload of a set.
struct MessageColumn {
  std::size_t set, index;  // `index` counts the fields, or the payloads, of the set
  MemoryKind memory;
  std::int64_t bytes_per_object;  // any_bytes for a payload
  bool is_payload() const noexcept { return bytes_per_object < 0; }
};
constexpr std::int64_t any_bytes = -1;

// Adjacent objects of a payload that fit into one message. This is used if the payload travels
// apart, in messages without other columns.
struct Stretch {
  std::int64_t objects, bytes;
};

// The objects of one column that go to one rank, or come from it.
struct ColumnShare {
  std::int64_t objects, bytes;
  std::int64_t begin = 0;               // for a payload: the bytes of all objects before these
  std::vector<Stretch> stretches = {};  // for a payload that travels apart
};

// Adjacent objects of one column in a message. `first` is the index of the first of them among all
// objects that go to, or come from, the same rank.
struct Piece {
  std::size_t column;
  std::int64_t first, count;
  std::int64_t offset;     // begin of the piece in the message, in bytes
  std::int64_t begin = 0;  // for a payload: the bytes of all objects before these
  std::int64_t bytes = 0;  // for a payload: the bytes of these objects
};

struct Message {
  MemoryKind memory;
  std::int64_t bytes = 0;
  std::vector<Piece> pieces = {};
};

struct MessageSizes {
  // A field that has more bytes than this for one rank travels apart, in messages without other
  // fields. Then it can be sent directly from its old array, and received directly into its new
  // one.
  std::int64_t apart = std::int64_t{256} << 10;
  // The greatest number of bytes in a message. A single object that is larger is not divided.
  std::int64_t most = std::int64_t{1} << 20;
};

// Returns the share of a payload that goes to, or comes from, one rank: `objects` objects from
// `first` on, in stretches of at most `most` bytes. starts[i] is the first byte of object i; the
// list is in memory of `space`. Blocks.
ColumnShare share_of_payload(const Space& space, const std::int64_t* starts, std::int64_t first,
                             std::int64_t objects, std::int64_t most);

// shares[c] is the share of column c. Columns that do not travel apart are combined into one
// message for each kind of memory. Each piece begins at a multiple of 16 bytes.
std::vector<Message> cut_into_messages(std::span<const MessageColumn> columns,
                                       std::span<const ColumnShare> shares,
                                       const MessageSizes& sizes);

}  // namespace evenkeel
