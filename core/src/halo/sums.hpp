#pragma once

// Adds what comes back from ghosts to the objects they are copies of, in a fixed order.

#include "halo/records.hpp"

#include <evenkeel/backends/exec/array.hpp>

#include <cstddef>
#include <cstdint>

namespace evenkeel {

// The copies of each object: those of object objects[k] are copies[firsts[k]] to before
// copies[firsts[k + 1]], in ascending order.
struct CopiesByObject {
  exec::Array<std::uint64_t> copies;
  exec::Array<std::int64_t> objects, firsts;
};

// From the object of each copy. Blocks.
CopiesByObject by_object(const Space& space, const exec::Array<std::int64_t>& objects);

// Adds to the owned objects. Does not block.
void add_copies(const Space& space, const Records& records, const CopiesByObject& copies,
                const std::byte* memory);

}  // namespace evenkeel
