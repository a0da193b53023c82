#pragma once

// The errors of `evenkeel replay` that its user can correct: the program ends with status 2.

#include <evenkeel/backends/error.hpp>

#include <string>
#include <utility>

namespace evenkeel::tool {

inline constexpr const char* replay_stage = "tools/replay";

[[noreturn]] inline void refuse_replay(std::string problem, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{replay_stage}, std::move(problem), std::move(remedy));
}

}  // namespace evenkeel::tool
