#pragma once

// Reads the numbers of a field into the memory of a space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>

#include <cstdint>

namespace evenkeel {

// One component of all objects.
FieldLayout component_of(FieldLayout at, int component);

// The first `count` numbers, of any number type and in any memory, as doubles or as 64-bit
// integers. Throws if the field does not hold numbers, or holds numbers of the wrong kind.
exec::Array<double> read_reals(const Space& space, const FieldLayout& at, std::int64_t count);
exec::Array<std::int64_t> read_integers(const Space& space, const FieldLayout& at,
                                        std::int64_t count);

}  // namespace evenkeel
