#pragma once

// The command line as its writers of help see it: sub-commands, options, and what their values are.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace evenkeel::tool {

enum class ValueKind { none, choice, file, other };

struct OptionShown {
  std::string name;   // with its dashes
  std::string value;  // as the help says it; empty: a flag
  std::string description;
  ValueKind kind = ValueKind::none;
  std::vector<std::string> choices;
  bool is_required = false;
};

struct CommandShown {
  std::string name, description, examples;
  std::vector<OptionShown> options, operands;  // operands have names without dashes
};

// All sub-commands, in the order of their names.
std::vector<CommandShown> commands_of(const CLI::App& app);

}  // namespace evenkeel::tool
