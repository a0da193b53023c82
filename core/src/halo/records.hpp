#pragma once

// The records that travel between owners and ghosts: one for each copy, with the values of all
// fields next to each other. The records for one rank, or from one rank, are contiguous.

#include "halo/leavers.hpp"

#include <evenkeel/core/field.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace evenkeel {

// The counts of a plan on this rank.
struct HaloCounts {
  std::int64_t owned, copies, ghosts;  // `copies` leave this rank
};

// The fields of a call. If ghosts follow the owned objects in the same fields, `ghosts` is empty.
struct HaloFields {
  std::span<const Field> owned, ghosts;
  bool with_position;  // true if the first field has the position
};

struct Records {
  struct RecordColumn {
    FieldLayout owned, ghosts;
    std::int64_t offset;  // in a record
    std::string name;
  };
  // The place of the position in a record.
  struct Position {
    ScalarType scalar;
    int components;
    std::int64_t offset, component_bytes;
  };
  std::vector<RecordColumn> columns;
  std::int64_t bytes = 0;  // of a record
  std::optional<Position> position;

  // A number that differs if the types of the values differ, or the handling of positions.
  std::uint64_t signature() const noexcept;
};

// The number of objects that may be written. The memory of a vector beyond its size may not be.
std::int64_t room_of(const Field& field);

// Throws an Error for fields without room, or that the space does not reach.
Records records_of(const Space& space, const HaloFields& fields, const HaloCounts& counts);

// Throws an Error unless all values are numbers.
void require_numbers(const Records& records);

// Writes the records of the objects of a list. Does not block.
void write_copies(const Space& space, const Records& records,
                  const exec::Array<std::int64_t>& objects, std::byte* memory);
// Shifts the positions in records by whole periods. `quarters` are a quarter of each period. Does
// not block.
void shift(const Space& space, const Records& records, const exec::Array<Image>& images,
           const std::array<double, 3>& quarters, std::byte* memory);
// Writes the records of all ghosts, or the ghosts of all records. Neither blocks.
void write_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                  std::byte* memory);
void read_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                 const std::byte* memory);

}  // namespace evenkeel
