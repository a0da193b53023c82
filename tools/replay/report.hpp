#pragma once

#include "replay/options.hpp"
#include "replay/schedule.hpp"

#include <string>

namespace evenkeel::tool {

// What a trigger made of a chain, beside what there was to be had.
struct ChainReplay {
  double total, ideal, never;
  Optimum optimum;
  Schedule rebalances;

  double above_optimum_percent() const;
};

std::string report_of(const ChainReplayOptions& options, const ChainReplay& replay);

}  // namespace evenkeel::tool
