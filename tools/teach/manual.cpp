#include "teach/manual.hpp"

namespace evenkeel::tool {

namespace {

// A line that begins with a point or a quote would be an instruction.
std::string escaped(const std::string& text) {
  std::string result;
  bool starts_line = true;
  for (const char letter : text) {
    if (starts_line && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\')
      result += "\\e";
    else if (letter == '-')
      result += "\\-";
    else
      result += letter;
    starts_line = letter == '\n';
  }
  return result;
}

std::string paragraph_of(const OptionShown& option) {
  std::string text = ".TP\n\\fB" + escaped(option.name) + "\\fR";
  if (!option.value.empty()) text += " \\fI" + escaped(option.value) + "\\fR";
  text += '\n' + escaped(option.description);
  if (option.is_required) text += ". Required";
  return text + ".\n";
}

std::string section_of(const CommandShown& command) {
  std::string text = ".SS evenkeel " + escaped(command.name);
  for (const OptionShown& operand : command.operands) text += " " + escaped(operand.value);
  text += "\n" + escaped(command.description) + ".\n";
  for (const OptionShown& operand : command.operands) text += paragraph_of(operand);
  for (const OptionShown& option : command.options) text += paragraph_of(option);
  if (!command.examples.empty()) text += ".PP\n.nf\n" + escaped(command.examples) + "\n.fi\n";
  return text;
}

}  // namespace

std::string manual_page(std::span<const CommandShown> commands, const std::string& version) {
  std::string text = ".TH EVENKEEL 1 \"\" \"evenkeel " + version +
                     "\" \"User Commands\"\n"
                     ".SH NAME\n"
                     "evenkeel \\- dynamic load balancing for MPI + GPU simulations\n"
                     ".SH SYNOPSIS\n"
                     "\\fBevenkeel\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
                     ".br\n"
                     "\\fBevenkeel\\fR \\-\\-help | \\-\\-version\n"
                     ".SH DESCRIPTION\n"
                     "The work of the library evenkeel from the command line, for arrays, graphs "
                     "and journals in files.\n"
                     "Results go to standard output, and an error is one line on standard error.\n"
                     "Files appear whole or not at all.\n"
                     ".SH COMMANDS\n";
  for (const CommandShown& command : commands) text += section_of(command);
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n0\nAll is well.\n"
         ".TP\n2\nThe command line or a file is wrong.\n"
         ".TP\n1\nAnything else, such as a full disk.\n";
}

}  // namespace evenkeel::tool
