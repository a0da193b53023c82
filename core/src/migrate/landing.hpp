#pragma once

// Finds the places of arrivals.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// In the order of keys. `leaving`: the keys of SetPlan::objects. `arriving`: the keys of objects
// from other ranks, in the order of arrival; they may be reordered.
void land(SetPlan& set, const exec::Array<CurveKey>& leaving,
          const exec::Array<CurveKey>& arriving);

// One behind the other, in the order of arrival.
void land(SetPlan& set);

}  // namespace evenkeel
