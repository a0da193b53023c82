#pragma once

// Data whose size differs from object to object: blocks, patches, trees of cells, lists of
// neighbours. A payload moves with the fields of a set, in the same transaction. Two kinds come
// with evenkeel:
//   csr()     values of all objects in one array, with the offset of each (below); host or device
//   blocks()  a std::vector of any type, with functions that pack and unpack (field/blocks.hpp);
//             host
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

class EVENKEEL_API Payload {
 public:
  // Objects of a payload that are adjacent in a message. Bytes are counted over all objects in the
  // plan of the set: object objects[k] has the bytes from starts[k] to before starts[k + 1], and
  // message[0] is byte `base`. The space of the payload reaches both lists.
  struct Piece {
    // the old places of objects that leave, or the new places of objects that arrive
    const std::int64_t* objects;
    const std::int64_t* starts;  // count + 1 entries
    std::int64_t count;
    std::int64_t base;   // starts[0]
    std::int64_t bytes;  // starts[count] - base
  };

  // New room for a payload. If it is destroyed without commit(), the payload stays as it was. If a
  // function of this class or of Payload throws, all ranks report a failure of the application, and
  // nothing has changed.
  class EVENKEEL_API Staged {
   public:
    Staged() = default;
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;
    virtual ~Staged();

    // Copies objects that leave from their old places to a message. May return before the copy
    // ends.
    virtual void pack(const Piece& piece, std::byte* message) = 0;
    // Copies objects that arrive from a message to their new places. May return before the copy
    // ends.
    virtual void unpack(const Piece& piece, const std::byte* message) = 0;
    // Copies objects that stay: objects[k] goes to places[k]. May return before the copy ends. If
    // values can only be moved, not copied, commit() moves them instead.
    virtual void keep(const std::int64_t* objects, const std::int64_t* places,
                      std::int64_t count) = 0;
    // Gives all new values to the application. Cannot fail.
    virtual void commit() noexcept = 0;
  };

  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload();

  virtual std::string label() const = 0;  // its name in messages
  // The address of the container that a move changes. Two payloads or fields with the same address
  // are an Error, because the container would change twice. Null skips this check.
  virtual const void* container() const = 0;
  virtual MemoryKind memory() const = 0;  // of messages and lists
  // The size of each object is a multiple of this, which must be the same on all ranks.
  virtual std::int64_t unit_bytes() const = 0;
  // Throws if the payload does not hold `count` objects, or if it cannot be moved in its present
  // state. Local.
  virtual void check(std::int64_t count, const SetOptions& options) const = 0;
  // Writes the number of bytes of each object to a list that the space of the payload reaches.
  // Blocks. Each plan calls it; the sizes must not change until the move.
  virtual void write_sizes(std::span<std::int64_t> sizes) const = 0;
  // Makes room for sizes.size() objects. `sizes` lists their bytes in the order of their new
  // places, and is in the memory of the payload. The payload holds `count` objects now.
  virtual std::unique_ptr<Staged> stage(std::int64_t count,
                                        std::span<const std::int64_t> sizes) const = 0;
};

// --- Rows of values ------------------------------------------------------------------------------
// Any number of values per object, in one array for all objects. Object i has values[offsets[i]] to
// before values[offsets[i + 1]].
//
//   ek::set(position, ek::carry(mass, ek::csr(first_neighbour, neighbours)))
//
// `offsets` has one more entry than there are objects. The entries are integers of 32 or 64 bits,
// begin with 0 and never fall. A move re-allocates both containers in memory of the same kind, so
// they must own their memory.

// The payload of these rows. Refers to the containers of both fields.
EVENKEEL_API std::shared_ptr<const Payload> csr(Field offsets, Field values);

// The same from variables of any container that can be a field.
template <class Offsets, class Values>
requires(!std::same_as<std::remove_cvref_t<Offsets>, Field>) std::shared_ptr<const Payload> csr(
    Offsets&& offsets, Values&& values) {
  return csr(field_of(std::forward<Offsets>(offsets)), field_of(std::forward<Values>(values)));
}

}  // namespace evenkeel
