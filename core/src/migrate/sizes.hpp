#pragma once

// The bytes of payloads in a plan. Each rank asks its payloads for the sizes of objects, and sends
// the sizes to the destinations of the objects. Then it sums up the sizes of its objects and of
// arrivals.

#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// The sizes, in bytes, of the objects of one payload. The arrays are in the memory of the payload.
struct Sizes {
  std::size_t set = 0;
  exec::Array<std::int64_t> leaving;   // by index in SetPlan::objects
  exec::Array<std::int64_t> arriving;  // of objects from other ranks, in the order of arrival
};

// Asks all payloads of all sets for sizes. `arriving` is not filled yet. Throws if a size is not
// valid.
std::vector<Sizes> ask_sizes(std::span<const Set> sets, const Plan& plan);

// Returns the first byte of each object. Objects that stay count as arrivals too.
PayloadPlan starts_of(const SetPlan& set, const Sizes& sizes);

}  // namespace evenkeel
