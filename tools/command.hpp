#pragma once

// The form of a sub-command of `evenkeel`: it declares its options first, and runs when they are
// parsed.
//
// Contract of the program: results go to stdout. An error is one line on stderr, with exit status 2
// for bad input and 1 for any other error. A result is never partial.

#include <CLI/CLI.hpp>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel::tool {

class Ranks;  // ranks.hpp

// The output of a sub-command, and the work that is left after printing: renaming its files to
// their targets. Rank 0 prints the text. `commit` is collective if the sub-command is.
struct Output {
  Output(std::string said, std::function<void()> last = {})  // NOLINT: implicit, for texts alone
      : text(std::move(said)), commit(std::move(last)) {}
  std::string text;
  std::function<void()> commit;
};

// Each function adds its sub-command to `app` and returns the function that produces its output.
using Run = std::function<Output()>;
Run add_assign(CLI::App& app);
Run add_control(CLI::App& app);
Run add_fit(CLI::App& app);
Run add_info(CLI::App& app);
Run add_partition(CLI::App& app, Ranks& ranks);  // collective over `ranks`, which it starts
Run add_replay(CLI::App& app);
Run add_report(CLI::App& app);
Run add_watch(CLI::App& app);  // prints while it runs

// Adds an option whose value is text. `into` stays empty if the user does not give the option.
inline void add_option(CLI::App& command, const char* name, std::optional<std::string>& into,
                       const char* type, const char* description, bool required = false) {
  command
      .add_option_function<std::string>(
          name, [&into](const std::string& value) { into = value; }, description)
      ->type_name(type)
      ->required(required);
}

// Examples at the end of a command's help.
struct Example {
  const char* command;
  const char* purpose;
};

inline void add_examples(CLI::App& command, std::initializer_list<Example> examples) {
  std::string text = "Examples:";
  for (const Example& example : examples)
    text += std::string("\n  # ") + example.purpose + "\n  " + example.command;
  command.footer(text);
}

}  // namespace evenkeel::tool
