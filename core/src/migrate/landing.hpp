#pragma once

// Finds the places of arrivals.

#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// Puts arrivals in the order of keys. `leaving` are the keys of SetPlan::objects. `arriving` are
// the keys of objects from other ranks, in the order of arrival; they may be reordered.
void land(SetPlan& set, const exec::Array<CurveKey>& leaving,
          const exec::Array<CurveKey>& arriving);

// Puts arrivals one after the other, in the order of arrival.
void land(SetPlan& set);

}  // namespace evenkeel
