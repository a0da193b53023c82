#pragma once

// Copies objects by lists of indices, for packing, unpacking and ordering.

#include <evenkeel/core/field.hpp>

namespace evenkeel {

// Copies object from_objects[i] of `from` to object to_objects[i] of `to`, for i in [0, count). A
// list that is null means 0, 1, 2, ... Both layouts have the same values per object and do not
// overlap. `space` can access the layouts and the lists. Does not block.
void copy_chosen_objects(const Space& space, const FieldLayout& to, const std::int64_t* to_objects,
                         const FieldLayout& from, const std::int64_t* from_objects,
                         std::int64_t count);

// Returns a packed layout of `count` objects that have the same values as those of `like`.
FieldLayout packed_like(const FieldLayout& like, void* data, MemoryKind memory, std::int64_t count);

}  // namespace evenkeel
