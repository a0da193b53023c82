#pragma once

// The bytes of payloads in a plan. They are asked for, sent to the destinations of the objects, and
// summed up.

#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// The sizes of the objects of one payload, in its memory.
struct Sizes {
  std::size_t set = 0;
  exec::Array<std::int64_t> leaving;   // in the order of SetPlan::objects
  exec::Array<std::int64_t> arriving;  // from other ranks, in the order of arrival
};

// The sizes of all payloads of all sets; `arriving` is not filled yet. Throws for sizes that are
// not valid.
std::vector<Sizes> ask_sizes(std::span<const Set> sets, const Plan& plan);

// The first byte of each object; objects that stay count among the arrivals.
PayloadPlan starts_of(const SetPlan& set, const Sizes& sizes);

}  // namespace evenkeel
