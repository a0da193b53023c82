#pragma once

#include <evenkeel/core/place.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// The options that determine where objects go.
inline PlaceOptions place_options_of(const Options& options) {
  return {.method = options.method,
          .periodic = options.periodic,
          .cell_size = options.cell_size,
          .least_width = options.least_width,
          .rank_of_part = options.rank_of_part};
}

}  // namespace evenkeel
