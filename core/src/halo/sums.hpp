#pragma once

// Adds the values that come back from ghosts to the objects that they are copies of, in a fixed
// order.

#include "halo/records.hpp"

namespace evenkeel {

// The copies of each object, in ascending order: those of object objects[k] begin at
// copies[firsts[k]] and end where those of the next object begin.
struct CopiesByObject {
  exec::Array<std::uint64_t> copies;
  exec::Array<std::int64_t> objects, firsts;
};

// `objects` has the object of each copy. Blocks.
CopiesByObject by_object(const Space& space, const exec::Array<std::int64_t>& objects);

// Adds the values of copies to the owned objects. Does not block.
void add_copies(const Space& space, const Records& records, const CopiesByObject& copies,
                const std::byte* memory);

}  // namespace evenkeel
