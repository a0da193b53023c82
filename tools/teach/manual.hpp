#pragma once

// The manual page of the program, for the program `man`.

#include "teach/command_line.hpp"

#include <span>
#include <string>

namespace evenkeel::tool {

std::string manual_page(std::span<const CommandShown> commands, const std::string& version);

}  // namespace evenkeel::tool
