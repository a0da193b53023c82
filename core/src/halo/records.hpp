#pragma once

// The records that are sent between owners and ghosts. There is one record for each copy, with the
// values of all fields next to each other. The records for each rank are contiguous, and so are
// those from each rank.

#include "halo/leavers.hpp"

#include <evenkeel/core/field.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace evenkeel {

// How many objects and copies a plan has on this rank.
struct HaloCounts {
  std::int64_t owned, copies, ghosts;  // `copies` leave this rank, `ghosts` arrive
};

// The fields of a call. `ghosts` is empty if the ghosts are in the same fields, after the owned
// objects.
struct HaloFields {
  std::span<const Field> owned, ghosts;
  bool with_position;  // true if the first field has the position
};

struct Records {
  struct RecordColumn {
    FieldLayout owned, ghosts;
    std::int64_t offset;  // first byte of the field in a record
    std::string name;
  };
  // The place of the position in a record.
  struct Position {
    ScalarType scalar;
    int components;
    std::int64_t offset, component_bytes;
  };
  std::vector<RecordColumn> columns;
  std::int64_t bytes = 0;  // size of a record
  std::optional<Position> position;

  // Returns a number for comparisons between ranks. It differs if the types of values differ, or if
  // only one of two records has a position.
  std::uint64_t signature() const noexcept;
};

// Returns how many objects may be written to a field. Memory of a vector beyond its size must not
// be written.
std::int64_t room_of(const Field& field);

// Throws an Error if a field has no room for ghosts, or is in memory that the space cannot access.
Records records_of(const Space& space, const HaloFields& fields, const HaloCounts& counts);

// Throws an Error if a value is not a number, or is not aligned.
void require_numbers(const Records& records);

// Writes the records of the objects in a list. Does not block.
void write_copies(const Space& space, const Records& records,
                  const exec::Array<std::int64_t>& objects, std::byte* memory);
// Shifts the positions in records by whole periods. `quarters` has a quarter of each period. Does
// not block.
void shift(const Space& space, const Records& records, const exec::Array<Image>& images,
           const std::array<double, 3>& quarters, std::byte* memory);
// write_ghosts() makes records of all ghosts; read_ghosts() writes ghosts from all records. Neither
// blocks.
void write_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                  std::byte* memory);
void read_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                 const std::byte* memory);

}  // namespace evenkeel
