#pragma once

#include "decide/state.hpp"

#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// The initial state of a run with these options.
EVENKEEL_API DecisionState first_state(const Options& options);

}  // namespace evenkeel
