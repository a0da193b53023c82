#pragma once

#include <evenkeel/backends/error.hpp>

namespace evenkeel {

constexpr const char* stage_name = "core/field";
constexpr Refusal refuse{stage_name};
constexpr const char* payload_stage = "core/payload";
constexpr Refusal refuse_payload{payload_stage};

}  // namespace evenkeel
