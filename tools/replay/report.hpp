#pragma once

#include "replay/schedule.hpp"

namespace evenkeel::tool {

// The cost of a chain under a trigger, beside its bounds and optimum.
struct ChainReplay {
  double total, ideal, never;
  Optimum optimum;
  Schedule rebalances;

  double above_optimum_percent() const;
};

std::string report_of(const ChainReplayOptions& options, const ChainReplay& replay);

}  // namespace evenkeel::tool
