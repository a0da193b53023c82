#pragma once

#include <evenkeel/backends/error.hpp>

namespace evenkeel {

constexpr const char* stage_name = "core/graph";
constexpr const char* contract_label = "evenkeel::graph::contract";
constexpr const char* nets_label = "evenkeel::graph::nets";
constexpr Refusal refuse{stage_name};

}  // namespace evenkeel
