#pragma once

#include <evenkeel/backends/error.hpp>

namespace evenkeel {

constexpr const char* stage_name = "core/lend";
constexpr Refusal refuse{stage_name};

}  // namespace evenkeel
