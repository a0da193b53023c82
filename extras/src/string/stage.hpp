#pragma once

namespace evenkeel {

constexpr const char* stage_name = "extras/string";

}  // namespace evenkeel
