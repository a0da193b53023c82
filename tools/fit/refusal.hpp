#pragma once

// The errors of `evenkeel fit` that its user can correct: the program ends with status 2.

#include <evenkeel/backends/error.hpp>

#include <string>
#include <utility>

namespace evenkeel::tool {

inline constexpr const char* fit_stage = "tools/fit";

[[noreturn]] inline void refuse_fit(std::string problem, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{fit_stage}, std::move(problem), std::move(remedy));
}

}  // namespace evenkeel::tool
