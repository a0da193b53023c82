#pragma once

// The bytes of objects, and the memory of ranks that these bytes fill.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>

#include <span>

namespace evenkeel {

// Returns the bytes of each owned object, in memory of the space: SetOptions::bytes or, if they are
// not given, SetOptions::bytes_per_object or, if that is 0, the bytes of the application's fields
// and payloads. Throws an Error if a number is negative, NaN or infinite. Local. Blocks.
EVENKEEL_API exec::Array<double> bytes_of_objects(const Space& space, const Set& set);
// The sum of these bytes. Local. Blocks.
EVENKEEL_API double bytes_of_all_objects(const Set& set);

// The memory of one rank, and the bytes of its objects.
struct RankFill {
  int rank = 0;
  double bytes = 0, memory = 0;
  // 0 if there is no limit.
  double share() const noexcept { return memory > 0 ? bytes / memory : 0; }
};

// Returns the rank of which the greatest share is filled, and the lowest of several such ranks.
EVENKEEL_API RankFill fullest_of(std::span<const double> bytes, std::span<const double> memory);

}  // namespace evenkeel
