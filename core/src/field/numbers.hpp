#pragma once

// Numbers of a field, on the host.

#include <evenkeel/core/field.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

// The first `count`, of any number type, as doubles or as 64-bit integers, brought here by `space`.
// Throws where they are no numbers, or none of the kind.
std::vector<double> read_reals(const Space& space, const FieldLayout& at, std::int64_t count);
std::vector<std::int64_t> read_integers(const Space& space, const FieldLayout& at,
                                        std::int64_t count);

}  // namespace evenkeel
