#pragma once

// What every sub-command of `evenkeel` is: its options are declared first, it runs when they are
// parsed.
//
// Contract of the program: results go to stdout; an error is one line on stderr, with exit status 2
// for bad input and 1 for anything else; never a partial result.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace evenkeel::tool {

// Adds the sub-command to `app` and returns what produces its output.
using Run = std::function<std::string()>;
Run add_info(CLI::App& app);

}  // namespace evenkeel::tool
