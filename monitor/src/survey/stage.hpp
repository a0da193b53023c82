#pragma once

namespace evenkeel {

constexpr const char* stage_name = "monitor/surveyor";

}  // namespace evenkeel
