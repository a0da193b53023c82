#pragma once

// Places objects that have a cost in each of several phases of a step: along a curve, or by their
// graph.

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

namespace evenkeel {

// The assignment of objects to ranks, and the loads of the phases.
struct PlacedByPhases {
  Allowed allowed;   // the lambda of the assignment is the lambda of `loads`
  PhaseLoads loads;  // see place_phases()
};

// Collective, like place_allowed(). Along a curve, the last domains are kept if a step under them
// takes at most `target_lambda` times as long as under the best cut that was found. The parts of a
// graph are kept if the lambda of each phase is at most `target_lambda`. If this is 0, nothing is
// kept.
//
// Along a curve, `loads` are the loads under the kept domains or the best cut. If these leave a
// rank with too few objects or too little memory, the assignment has other domains, which may be
// less even than `loads` says. By a graph, `loads` are the loads under the assignment.
EVENKEEL_API PlacedByPhases place_phases(const Communicator& communicator, const Status& status,
                                         const Prepared& prepared, PhaseCosts costs, int phases,
                                         double target_lambda, const PlaceLimits& limits,
                                         const Domains& last);

}  // namespace evenkeel
