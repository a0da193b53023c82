#pragma once

// The errors of the readers and writers of files. All come from the stage "tools/files", in one
// line that names the file, the place in it and what to do.

#include <evenkeel/backends/error.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace evenkeel::tool {

std::string joined(std::initializer_list<std::string_view> parts);

// For input that the user can correct: the program ends with status 2.
[[noreturn]] void refuse(std::string problem, std::string remedy);

// For failures of the machine, such as a full disk: the program ends with status 1.
[[noreturn]] void give_up(std::string problem, std::string remedy);

// The system's description of a value of errno.
std::string reason_of(int error_number);

}  // namespace evenkeel::tool
