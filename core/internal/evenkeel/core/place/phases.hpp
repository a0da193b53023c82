#pragma once

// Places objects that cost something in each of several phases of a step: along a curve, or by
// their graph.

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

namespace evenkeel {

// The assignment of objects to ranks, and the loads of the phases.
struct PlacedByPhases {
  Allowed allowed;   // the lambda of its assignment is that of `loads`
  PhaseLoads loads;  // see place_phases()
};

// Collective, like place_allowed(). Along a curve, the last domains are kept while a step takes at
// most `target_lambda` times as long under them as under the best cut that was found. The parts of
// a graph are kept while each phase has at most this lambda. If it is 0, nothing is kept.
//
// Along a curve, `loads` are those of the kept domains or of the best cut. If these leave a rank
// with fewer than `least_objects` objects, other domains are placed, which may be less even than
// `loads` says. By a graph, `loads` are measured under the assignment.
EVENKEEL_API PlacedByPhases place_phases(const Communicator& communicator, const Status& status,
                                         const Prepared& prepared, PhaseCosts costs, int phases,
                                         double target_lambda, std::int64_t least_objects,
                                         const Domains& last);

}  // namespace evenkeel
