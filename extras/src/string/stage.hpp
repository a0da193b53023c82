#pragma once

namespace evenkeel {

constexpr const char* stage_name = "core/chain";

}  // namespace evenkeel
