#pragma once

// What travels between owners and ghosts: a record for each copy, with the values of all fields
// side by side. The records for one rank, or from one, lie in one piece.

#include "halo/leavers.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evenkeel {

// The counts of a plan on this rank.
struct HaloCounts {
  std::int64_t owned, copies, ghosts;  // copies: that leave
};

// The fields of a call. `ghosts` is empty where ghosts stand behind the owned objects.
struct HaloFields {
  std::span<const Field> owned, ghosts;
  bool with_position;  // the first one
};

struct Records {
  struct Column {
    FieldLayout owned, ghosts;
    std::int64_t offset;  // in a record
    std::string name;
  };
  // Where the position is in a record.
  struct Position {
    ScalarType scalar;
    int components;
    std::int64_t offset, component_bytes;
  };
  std::vector<Column> columns;
  std::int64_t bytes = 0;  // of a record
  std::optional<Position> position;

  // A number that differs if the values differ, or what is done with them.
  std::uint64_t signature() const noexcept;
};

// Objects that may be written. The memory of a vector beyond its size may not.
std::int64_t room_of(const Field& field);

// Throws an Error for fields without room, or that the space does not reach.
Records records_of(const Space& space, const HaloFields& fields, const HaloCounts& counts);

// Throws an Error unless all values are numbers.
void require_numbers(const Records& records);

// The records of the objects of a list. Does not block.
void write_copies(const Space& space, const Records& records,
                  const exec::Array<std::int64_t>& objects, std::byte* memory);
// Shifts the positions in records by whole periods; `quarters`: of each, in quarters. The same.
void shift(const Space& space, const Records& records, const exec::Array<Image>& images,
           const std::array<double, 3>& quarters, std::byte* memory);
// The records of all ghosts, or the ghosts of all records. The same.
void write_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                  std::byte* memory);
void read_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                 const std::byte* memory);

}  // namespace evenkeel
