#pragma once

// Ids as 64-bit numbers, in the memory of a space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/field/set.hpp>

#include <cstdint>
#include <string>

namespace evenkeel {

// Throws an Error if the field has no integers, or fewer than `count`.
void check_ids(const FieldLayout& at, const std::string& label, std::int64_t count);

// Returns the number of objects that have ids.
std::int64_t count_of(const NumberSource& ids, const OwnedCount& count);

// Returns the ids of the first `count` objects. All components of an object are adjacent. Blocks.
exec::Array<std::uint64_t> read_ids(const Space& space, const NumberSource& ids,
                                    std::int64_t count);

// Finds the least place of an id in a list, in kernels. It is a hash table with open addressing. It
// refers to the list and to the slots. The number of slots is a power of 2 and greater than the
// number of ids.
struct PlaceOfId {
  const std::uint64_t* ids;
  std::int64_t* slots;  // places in the list; `none` marks an empty slot
  int bits;             // there are 2^bits slots

  static constexpr std::int64_t none = -1;

  KOKKOS_FUNCTION std::uint64_t next(std::uint64_t slot) const {
    return (slot + 1) & ((std::uint64_t{1} << bits) - 1);
  }
  // Uses the highest bits. The lowest bits of a similar number determine the keeper of an id, so
  // among the ids of one keeper they vary little.
  KOKKOS_FUNCTION std::uint64_t first_slot(std::uint64_t id) const {
    const std::uint64_t mixed = (id ^ (id >> 32U)) * 0x9E3779B97F4A7C15U;
    return ((mixed ^ (mixed >> 29U)) * 0xBF58476D1CE4E5B9U) >> (64 - bits);
  }

  KOKKOS_FUNCTION std::int64_t operator()(std::uint64_t id) const {
    for (std::uint64_t slot = first_slot(id);; slot = next(slot)) {
      const std::int64_t place = slots[slot];
      if (place == none || ids[place] == id) return place;
    }
  }
};

// Makes the slots for the table of a list. Blocks.
class IdTable {
 public:
  static exec::Array<std::int64_t> slots_for(const Space& space,
                                             const exec::Array<std::uint64_t>& ids);
  static PlaceOfId of(const exec::Array<std::uint64_t>& ids,
                      const exec::Array<std::int64_t>& slots);
};

}  // namespace evenkeel
