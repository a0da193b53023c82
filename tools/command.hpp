#pragma once

// The form of a sub-command of `evenkeel`: it declares its options first, and runs when they are
// parsed.
//
// Contract of the program: results go to stdout; an error is one line on stderr, with exit status 2
// for bad input and 1 for anything else. A result is never partial.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>

namespace evenkeel::tool {

class Ranks;  // ranks.hpp

// The output of a sub-command, and the work left after printing it: to give files their names. Rank
// 0 prints its text; `commit` is collective where the sub-command is.
struct Output {
  Output(std::string said, std::function<void()> last = {})  // NOLINT: implicit, for texts alone
      : text(std::move(said)), commit(std::move(last)) {}
  std::string text;
  std::function<void()> commit;
};

// Each adds its sub-command to `app` and returns the function that produces its output.
using Run = std::function<Output()>;
Run add_completion(CLI::App& app);
Run add_control(CLI::App& app);
Run add_fit(CLI::App& app);
Run add_info(CLI::App& app);
Run add_manual(CLI::App& app);
Run add_partition(CLI::App& app, Ranks& ranks);  // collective over `ranks`, which it starts
Run add_replay(CLI::App& app);
Run add_report(CLI::App& app);

}  // namespace evenkeel::tool
