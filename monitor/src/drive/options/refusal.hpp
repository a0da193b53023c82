#pragma once

// How options are refused.

#include <evenkeel/backends/error.hpp>

#include <string>

namespace evenkeel::detail {

inline constexpr const char* options_stage = "monitor/options";

[[noreturn]] inline void refuse_option(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{options_stage}, problem, remedy);
}

}  // namespace evenkeel::detail
