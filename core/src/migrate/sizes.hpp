#pragma once

// The bytes of payloads in a plan: asked for, sent to the ranks that objects go to, and summed up.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The sizes of the objects of one payload, in its memory.
struct Sizes {
  std::size_t set = 0;
  exec::Array<std::int64_t> leaving;   // in the order of SetPlan::objects
  exec::Array<std::int64_t> arriving;  // from other ranks, in the order of arrival
};

// The sizes of all payloads of all sets; `arriving` is not filled yet. Throws for sizes that make
// no sense.
std::vector<Sizes> ask_sizes(std::span<const Set> sets, const Plan& plan);

// Where the bytes of each object begin; objects that stay count among the arrivals.
PayloadPlan starts_of(const SetPlan& set, const Sizes& sizes);

}  // namespace evenkeel
