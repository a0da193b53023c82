#pragma once

// Data of objects that is not of one size: blocks, patches, trees of cells, lists of neighbours. A
// payload travels with the fields of a set, in the same transaction. Two kinds come with evenkeel:
//   field/csr.hpp     values of all objects in one array, with the offset of each; host or device
//   field/blocks.hpp  a std::vector of anything, packed and unpacked by functions; host
// To add a kind, derive a class from Payload.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace evenkeel {

struct SetOptions;

// Objects of a payload that lie side by side in a message. `objects[k]` has the bytes from
// starts[k] to before starts[k + 1], counted over all objects of the set; message[0] is byte
// `base`. The space of the payload reaches the lists.
struct PayloadPiece {
  const std::int64_t* objects;  // their old places when they leave, their new ones when they arrive
  const std::int64_t* starts;   // count + 1
  std::int64_t count;
  std::int64_t base;   // starts[0]
  std::int64_t bytes;  // starts[count] - base
};

// New room for a payload. Destroyed without commit() it leaves everything as it was. If one of
// these functions or of Payload's throws, all ranks report it as the application's failure, and
// nothing has changed.
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
  // Objects that stay: objects[k] goes to places[k]. Need not block. Values that can only be moved,
  // not copied, are moved by commit().
  virtual void keep(const std::int64_t* objects, const std::int64_t* places,
                    std::int64_t count) = 0;
  // Hands all new values to the application. Cannot fail.
  virtual void commit() noexcept = 0;
};

class EVENKEEL_API Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload();

  virtual std::string label() const = 0;  // its name in messages
  // The address of what it changes, so that nobody changes it twice; null if that cannot happen.
  virtual const void* container() const = 0;
  virtual MemoryKind memory() const = 0;  // of messages and lists
  // All sizes are multiples of this; the same on all ranks.
  virtual std::int64_t unit_bytes() const = 0;
  // Throws when it does not hold `count` objects or cannot be moved as it is. Local.
  virtual void check(std::int64_t count, const SetOptions& options) const = 0;
  // Writes the bytes of each object to a list that the space of the payload reaches. Blocks. Called
  // for each plan; the sizes must not change until the move.
  virtual void write_sizes(std::span<std::int64_t> sizes) const = 0;
  // Makes room for sizes.size() objects, in the order of their new places; there are `count`
  // objects now. The sizes are in the memory of the payload.
  virtual std::unique_ptr<StagedPayload> stage(std::int64_t count,
                                               std::span<const std::int64_t> sizes) const = 0;
};

// --- Rows of values ------------------------------------------------------------------------------
// Any number of values per object, of all objects side by side in one array: those of object i are
// values[offsets[i]] to before values[offsets[i + 1]].
//
//   ek::set(position, ek::carry(mass, ek::csr(first_neighbour, neighbours)))
//
// `offsets` has one more entry than there are objects, of any integer type; it begins at 0 and
// never falls. After a move both are re-allocated, in the memory that they were in.

EVENKEEL_API std::shared_ptr<const Payload> csr(Field offsets, Field values);

// From variables of any container that can be a field.
template <class Offsets, class Values>
requires(!std::same_as<std::remove_cvref_t<Offsets>, Field>) std::shared_ptr<const Payload> csr(
    Offsets&& offsets, Values&& values) {
  return csr(field_of(std::forward<Offsets>(offsets)), field_of(std::forward<Values>(values)));
}

}  // namespace evenkeel
