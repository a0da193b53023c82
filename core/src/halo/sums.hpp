#pragma once

// Adds the values that come back from ghosts to their objects. The order of additions is fixed.

#include "halo/records.hpp"

namespace evenkeel {

// Groups copies by object. The copies of object objects[k] are copies[firsts[k]] to before
// copies[firsts[k + 1]], in ascending order.
struct CopiesByObject {
  exec::Array<std::uint64_t> copies;
  exec::Array<std::int64_t> objects, firsts;
};

// objects[i] must be the object of copy i. Blocks.
CopiesByObject by_object(const Space& space, const exec::Array<std::int64_t>& objects);

// Adds the values of copies to the owned objects. Does not block.
void add_copies(const Space& space, const Records& records, const CopiesByObject& copies,
                const std::byte* memory);

}  // namespace evenkeel
