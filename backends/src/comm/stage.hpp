#pragma once

// The name of this folder in Errors.

namespace evenkeel {

constexpr const char* stage_name = "backends/comm";

}  // namespace evenkeel
