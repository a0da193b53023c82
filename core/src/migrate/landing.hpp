#pragma once

// Where arrivals come to stand.

#include <evenkeel/core/key.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <span>

namespace evenkeel {

// In the order of their keys, which are given in the order of arrival. Those of one key as they
// arrive.
void land(SetPlan& set, std::span<const CurveKey> keys);

// As they arrive.
void land(SetPlan& set);

}  // namespace evenkeel
