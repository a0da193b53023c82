#pragma once

// Copies objects by lists of indices, for packing, unpacking and ordering.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field.hpp>

#include <cstdint>

namespace evenkeel {

// to[to_objects[i]] = from[from_objects[i]] for i in [0, count); a null list is 0, 1, 2, ... Both
// layouts hold the same values, do not overlap, and lie, like the lists, in memory that `space`
// reaches. Does not block.
void copy_chosen_objects(const Space& space, const FieldLayout& to, const std::int64_t* to_objects,
                         const FieldLayout& from, const std::int64_t* from_objects,
                         std::int64_t count);

}  // namespace evenkeel
