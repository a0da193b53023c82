#pragma once

// Places objects that cost something in each of several phases of a step: along a curve, or by
// their graph.

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

namespace evenkeel {

// Where objects belong, and what a step then takes.
struct PlacedByPhases {
  Allowed allowed;   // the lambda of its assignment is that of `loads`
  PhaseLoads loads;  // under the domains of the assignment
};

// Collective, as place_allowed. Along a curve, the last domains are kept while a step takes at most
// `target_lambda` times as long under them as under the best cut that was found; the parts of a
// graph, while no phase is less even. 0: they are not kept. Where ranks are to have a least number
// of objects and the best cut leaves some with fewer, `loads` are those of the best cut, and what
// was placed may be worse.
EVENKEEL_API PlacedByPhases place_phases(const Communicator& communicator, const Status& status,
                                         const Prepared& prepared, PhaseCosts costs, int phases,
                                         double target_lambda, std::int64_t least_objects,
                                         const Domains& last);

}  // namespace evenkeel
