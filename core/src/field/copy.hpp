#pragma once

// Copies objects by lists of indices, for packing, unpacking and ordering.

#include <evenkeel/core/field.hpp>

namespace evenkeel {

// to[to_objects[i]] = from[from_objects[i]] for i in [0, count); a null list is 0, 1, 2, ... Both
// layouts hold the same values and do not overlap. The layouts and the lists are in memory that
// `space` reaches. Does not block.
void copy_chosen_objects(const Space& space, const FieldLayout& to, const std::int64_t* to_objects,
                         const FieldLayout& from, const std::int64_t* from_objects,
                         std::int64_t count);

// The layout of `count` objects with the same values, packed in this memory.
FieldLayout packed_like(const FieldLayout& like, void* data, MemoryKind memory, std::int64_t count);

}  // namespace evenkeel
