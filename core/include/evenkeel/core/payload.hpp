#pragma once

// What objects carry that is not of one size: blocks, patches, trees of cells, lists of neighbours.
// A payload travels with the fields of a set, in the same transaction. Two kinds come with
// evenkeel:
//   payload/csr.hpp     values of all objects in one array, with the offset of each; host or device
//   payload/blocks.hpp  a std::vector of anything, packed and unpacked by functions; host
// Another is a class that derives from Payload.

#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace evenkeel {

struct SetOptions;

// Objects of a payload as they lie in a message, side by side: `objects[k]` has the bytes from
// starts[k] to before starts[k + 1] of all, and message[0] is the byte `base`. Lists are in memory
// that the space of the payload reaches.
struct PayloadPiece {
  const std::int64_t* objects;  // where they are here, or come to stand
  const std::int64_t* starts;   // count + 1
  std::int64_t count;
  std::int64_t base;   // starts[0]
  std::int64_t bytes;  // starts[count] - base
};

// New room for a payload. Destroyed without commit() it leaves all as it was. What one of these
// functions or of Payload's throws is told on all ranks as the application's, and nothing has
// changed.
class EVENKEEL_API StagedPayload {
 public:
  StagedPayload() = default;
  StagedPayload(const StagedPayload&) = delete;
  StagedPayload& operator=(const StagedPayload&) = delete;
  virtual ~StagedPayload();

  // Objects that leave, from their old places to a message. Need not block.
  virtual void pack(const PayloadPiece& piece, std::byte* message) = 0;
  // Objects that arrive, from a message to their new places. Need not block.
  virtual void unpack(const PayloadPiece& piece, const std::byte* message) = 0;
  // Objects that stay: objects[k] comes to stand at places[k]. Need not block. What can only be
  // moved, rather than copied, is moved by commit().
  virtual void keep(const std::int64_t* objects, const std::int64_t* places,
                    std::int64_t count) = 0;
  // All new values are the application's. Cannot fail.
  virtual void commit() noexcept = 0;
};

class EVENKEEL_API Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload();

  virtual std::string label() const = 0;  // its name in messages
  // What it changes, so that nobody changes it twice; null where that cannot be.
  virtual const void* container() const = 0;
  virtual MemoryKind memory() const = 0;  // of messages and lists
  // What all sizes are a multiple of; the same on all ranks.
  virtual std::int64_t unit_bytes() const = 0;
  // Throws when there is nothing for `count` objects, or it cannot be moved as it stands. Local.
  virtual void check(std::int64_t count, const SetOptions& options) const = 0;
  // The bytes of each object. Asked for each plan; until the move they must stay as they are.
  virtual void write_sizes(std::span<std::int64_t> sizes) const = 0;
  // Room for sizes.size() objects, each at its new place, where there are `count` now.
  virtual std::unique_ptr<StagedPayload> stage(std::int64_t count,
                                               std::span<const std::int64_t> sizes) const = 0;
};

}  // namespace evenkeel
