#include "teach/command_line.hpp"

#include <algorithm>
#include <cctype>

namespace evenkeel::tool {

namespace {

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::islower(letter) != 0 || letter == '_';
  });
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (letter == separator)
      words.emplace_back();
    else
      words.back() += letter;
  }
  return words;
}

// The help names values by example: a|b are choices, and what has a point is a file.
void set_kind(OptionShown& option) {
  if (option.value.empty()) return;
  const std::vector<std::string> words = split(option.value, '|');
  const bool are_choices =
      words.size() > 1 && std::all_of(words.begin(), words.end(),
                                      [](const std::string& word) { return is_word(word); });
  if (are_choices) {
    option.kind = ValueKind::choice;
    option.choices = words;
  } else {
    const bool is_file = option.value == "FILE" || option.value.find('.') != std::string::npos;
    const bool is_list = option.value.find("..") != std::string::npos;
    option.kind = is_file && !is_list ? ValueKind::file : ValueKind::other;
  }
}

OptionShown shown(const CLI::Option& option) {
  OptionShown result;
  result.name = option.get_single_name();
  if (!option.get_positional()) result.name.insert(0, "--");
  if (option.get_items_expected_max() > 0) result.value = option.get_type_name();
  result.description = option.get_description();
  result.is_required = option.get_required();
  set_kind(result);
  return result;
}

CommandShown shown(const CLI::App& command) {
  CommandShown result{command.get_name(), command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? result.operands : result.options).push_back(shown(*option));
  return result;
}

}  // namespace

std::vector<CommandShown> commands_of(const CLI::App& app) {
  std::vector<CommandShown> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(shown(*command));
  std::sort(commands.begin(), commands.end(),
            [](const CommandShown& a, const CommandShown& b) { return a.name < b.name; });
  return commands;
}

}  // namespace evenkeel::tool
