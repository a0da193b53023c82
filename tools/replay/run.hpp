#pragma once

// A run through a chain with a trigger in charge: the functions that decide in an application
// decide here, on the same numbers.

#include "replay/options.hpp"
#include "replay/schedule.hpp"

namespace evenkeel::tool {

Schedule run(const Setting& setting, const ChainReplayOptions& options);

}  // namespace evenkeel::tool
