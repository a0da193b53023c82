#pragma once

// Finds the places of arrivals.

#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// Finds the places that put arrivals in the order of their keys. `leaving` has the keys of
// SetPlan::objects. `arriving` has the keys of objects from other ranks, in the order of arrival;
// land() may reorder these keys.
void land(SetPlan& set, const exec::Array<CurveKey>& leaving,
          const exec::Array<CurveKey>& arriving);

// Gives arrivals adjacent places in the order of arrival.
void land(SetPlan& set);

}  // namespace evenkeel
