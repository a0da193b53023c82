#pragma once

// Examples at the end of a command's help.

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <string>

namespace evenkeel::tool {

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
