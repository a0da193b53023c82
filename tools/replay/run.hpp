#pragma once

// Runs a chain under a trigger. The functions that decide in an application also decide here, on
// the same numbers.

#include "replay/options.hpp"
#include "replay/schedule.hpp"

namespace evenkeel::tool {

Schedule run(const Setting& setting, const ChainReplayOptions& options);

}  // namespace evenkeel::tool
