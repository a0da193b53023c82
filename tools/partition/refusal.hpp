#pragma once

// The errors of `evenkeel partition` that its user can correct: the program ends with status 2.

#include <evenkeel/backends/error.hpp>

#include <string>
#include <utility>

namespace evenkeel::tool {

inline constexpr const char* partition_stage = "tools/partition";

[[noreturn]] inline void refuse_partition(std::string problem, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{partition_stage}, std::move(problem), std::move(remedy));
}

}  // namespace evenkeel::tool
