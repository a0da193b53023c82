#include "teach/completion.hpp"

namespace evenkeel::tool {

namespace {

using Commands = std::span<const CommandShown>;

// Within single quotes of a shell; no description has any.
std::string in_single_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'')
      result += "'\\''";
    else
      result += letter;
  }
  return result + '\'';
}

template <class Items, class Text>
std::string joined(const Items& items, const Text& text) {
  std::string result;
  for (const auto& item : items) {
    if (!result.empty()) result += ' ';
    result += text(item);
  }
  return result;
}
std::string joined(const std::vector<std::string>& words) {
  return joined(words, [](const std::string& word) { return word; });
}
std::string names_of(Commands commands) {
  return joined(commands, [](const CommandShown& command) { return command.name; });
}

// --- bash ----------------------------------------------------------------------------------------

std::string bash_values(const CommandShown& command) {
  std::string cases;
  for (const OptionShown& option : command.options) {
    if (option.kind == ValueKind::none) continue;
    cases += "    " + in_single_quotes(command.name + ' ' + option.name) + ") ";
    if (option.kind == ValueKind::choice)
      cases += "_evenkeel_words " + in_single_quotes(joined(option.choices));
    else
      cases += option.kind == ValueKind::file ? "_evenkeel_files" : ":";
    cases += "; return ;;\n";
  }
  return cases;
}

// After a dash its options, and otherwise what it works on.
std::string bash_words(const CommandShown& command) {
  const std::string options =
      joined(command.options, [](const OptionShown& option) { return option.name; });
  std::vector<std::string> choices;
  bool takes_files = false;
  for (const OptionShown& operand : command.operands) {
    choices.insert(choices.end(), operand.choices.begin(), operand.choices.end());
    takes_files = takes_files || operand.kind == ValueKind::file;
  }
  std::string otherwise = "_evenkeel_words " + in_single_quotes(options);
  if (takes_files)
    otherwise = "_evenkeel_files";
  else if (!choices.empty())
    otherwise = "_evenkeel_words " + in_single_quotes(joined(choices));
  return "    " + in_single_quotes(command.name) + ")\n      if [[ \"$current\" == -* ]]; then " +
         "_evenkeel_words " + in_single_quotes(options) + "; else " + otherwise + "; fi ;;\n";
}

std::string for_bash(Commands commands) {
  std::string values, words;
  for (const CommandShown& command : commands) {
    values += bash_values(command);
    words += bash_words(command);
  }
  return "# Completes command lines of evenkeel in bash.\n"
         "_evenkeel_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }\n"
         "_evenkeel_files() { mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); }\n"
         "_evenkeel() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" command=\"${COMP_WORDS[1]}\"\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    _evenkeel_words " +
         in_single_quotes(names_of(commands) + " --help --version") +
         "\n    return\n  fi\n"
         "  case \"$command ${COMP_WORDS[COMP_CWORD - 1]}\" in\n" +
         values +
         "  esac\n"
         "  case \"$command\" in\n" +
         words +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _evenkeel evenkeel\n";
}

// --- zsh -----------------------------------------------------------------------------------------

// In a specification of _arguments these end a part.
std::string escaped_for_zsh(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

std::string zsh_action(const OptionShown& option) {
  switch (option.kind) {
    case ValueKind::choice: return '(' + joined(option.choices) + ')';
    case ValueKind::file: return "_files";
    default: return " ";
  }
}

std::string zsh_specification(const OptionShown& option) {
  std::string text = option.name + '[' + escaped_for_zsh(option.description) + ']';
  if (option.kind != ValueKind::none)
    text += ':' + escaped_for_zsh(option.value) + ':' + zsh_action(option);
  return in_single_quotes(text);
}

std::string for_zsh(Commands commands) {
  std::string names, cases;
  for (const CommandShown& command : commands) {
    names += "    " + in_single_quotes(command.name + ':' + command.description) + '\n';
    cases += "    " + command.name + ") _arguments";
    for (const OptionShown& option : command.options)
      cases += " \\\n      " + zsh_specification(option);
    for (const OptionShown& operand : command.operands)
      cases += " \\\n      " +
               in_single_quotes(':' + escaped_for_zsh(operand.name) + ':' + zsh_action(operand));
    cases += " ;;\n";
  }
  return "#compdef evenkeel\n"
         "# Completes command lines of evenkeel in zsh.\n"
         "_evenkeel() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe 'command' commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case \"$words[1]\" in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ \"$funcstack[1]\" == _evenkeel ]]; then _evenkeel; else compdef _evenkeel "
         "evenkeel; "
         "fi\n";
}

// --- fish ----------------------------------------------------------------------------------------

std::string fish_values(const OptionShown& option) {
  switch (option.kind) {
    case ValueKind::none: return "";
    case ValueKind::choice: return " -x -a " + in_single_quotes(joined(option.choices));
    case ValueKind::file: return " -r -F";
    case ValueKind::other: return " -x";
  }
  return "";
}

std::string for_fish(Commands commands) {
  std::string text =
      "# Completes command lines of evenkeel in fish.\n"
      "complete -c evenkeel -f\n"
      "complete -c evenkeel -n __fish_use_subcommand -l help -d 'Print help'\n"
      "complete -c evenkeel -n __fish_use_subcommand -l version -d 'Print the version'\n";
  for (const CommandShown& command : commands) {
    const std::string within =
        "complete -c evenkeel -n '__fish_seen_subcommand_from " + command.name + "'";
    text += "complete -c evenkeel -n __fish_use_subcommand -a " + command.name + " -d " +
            in_single_quotes(command.description) + '\n';
    for (const OptionShown& option : command.options)
      text += within + " -l " + option.name.substr(2) + fish_values(option) + " -d " +
              in_single_quotes(option.description) + '\n';
    for (const OptionShown& operand : command.operands)
      text +=
          within +
          (operand.kind == ValueKind::file ? " -F"
                                           : " -a " + in_single_quotes(joined(operand.choices))) +
          '\n';
  }
  return text;
}

}  // namespace

std::string completion_for(Shell shell, Commands commands) {
  switch (shell) {
    case Shell::bash: return for_bash(commands);
    case Shell::fish: return for_fish(commands);
    case Shell::zsh: return for_zsh(commands);
  }
  return "";
}

}  // namespace evenkeel::tool
