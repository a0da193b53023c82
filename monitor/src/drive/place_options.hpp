#pragma once

#include <evenkeel/core/place.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// The options that say where objects go.
inline PlaceOptions place_options_of(const Options& options) {
  return {options.method, options.periodic, options.cell_size, options.least_width};
}

}  // namespace evenkeel
