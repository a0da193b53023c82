#pragma once

// How the readers and writers of files say no. All errors come from the stage "tools/files", in one
// line that names the file, the place in it and what to do.

#include <evenkeel/backends/error.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace evenkeel::tool {

std::string joined(std::initializer_list<std::string_view> parts);

// The user can mend it: the program ends with status 2.
[[noreturn]] void refuse(std::string problem, std::string remedy);

// The machine failed, as with a full disk: the program ends with status 1.
[[noreturn]] void give_up(std::string problem, std::string remedy);

// What the system says about the number that it left in errno.
std::string reason_of(int error_number);

}  // namespace evenkeel::tool
