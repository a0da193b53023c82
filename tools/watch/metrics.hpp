#pragma once

// A run in the text format that Prometheus reads.

#include "watch/view.hpp"

#include <string>

namespace evenkeel::tool::watch {

std::string metrics_of(const View& view);

}  // namespace evenkeel::tool::watch
