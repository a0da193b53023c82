#pragma once

namespace evenkeel {

constexpr const char* stage_name = "monitor/balancer";

}  // namespace evenkeel
