#pragma once

// Scripts that teach a shell to complete a command line of the program.

#include "teach/command_line.hpp"

#include <span>
#include <string>

namespace evenkeel::tool {

enum class Shell { bash, fish, zsh };

std::string completion_for(Shell shell, std::span<const CommandShown> commands);

}  // namespace evenkeel::tool
