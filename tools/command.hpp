#pragma once

// What every sub-command of `evenkeel` is: its options are declared first, it runs when they are
// parsed.
//
// Contract of the program: results go to stdout; an error is one line on stderr, with exit status 2
// for bad input and 1 for anything else; never a partial result.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>

namespace evenkeel::tool {

class Ranks;  // ranks.hpp

// What a sub-command has to say, and what is left to do once that is said: to give files their
// names. Rank 0's text counts; `commit` is collective where the sub-command is.
struct Output {
  Output(std::string said, std::function<void()> last = {})  // NOLINT: implicit, for texts alone
      : text(std::move(said)), commit(std::move(last)) {}
  std::string text;
  std::function<void()> commit;
};

// Adds the sub-command to `app` and returns what produces its output.
using Run = std::function<Output()>;
Run add_info(CLI::App& app);
Run add_partition(CLI::App& app, Ranks& ranks);  // collective over `ranks`, which it starts
Run add_replay(CLI::App& app);

}  // namespace evenkeel::tool
