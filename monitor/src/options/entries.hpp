#pragma once

// Reads options from a text or from the environment, and applies them.

#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <string_view>

namespace evenkeel::detail {

// A value and its origin.
struct OptionEntry {
  std::string place;  // before the name in Errors
  std::string name;   // of the option as it is spelled there
  std::string key;    // empty if the spelling is wrong
  std::string value;
  bool is_variable;
};

// Lines "key = value" of a text; `source` names it in Errors.
std::vector<OptionEntry> entries_of(std::string_view text, const std::string& source);

// All variables except the one that names a file.
std::vector<OptionEntry> entries_of(const Variables& variables);

// Checks each value on its own. `code` are the options as given in code.
void apply(const std::vector<OptionEntry>& entries, Options& options, const Options& code);

// The file from which options are to be read; empty if no file was named.
std::string options_file_of(const Options& code, const Variables& variables);

}  // namespace evenkeel::detail
