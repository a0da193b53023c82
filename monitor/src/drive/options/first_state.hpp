#pragma once

#include "decide/state.hpp"

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// What a run with these options starts from.
EVENKEEL_API State first_state(const Options& options);

}  // namespace evenkeel
