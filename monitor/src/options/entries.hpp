#pragma once

// Reads options from a text or from the environment, and applies them.

#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <string_view>

namespace evenkeel::detail {

// A value of an option, and its origin.
struct OptionEntry {
  std::string place;  // the origin as text, which Errors put before the name
  std::string name;   // the name of the option, as it is spelled at its origin
  std::string key;    // the key of the option; empty if the spelling is wrong
  std::string value;
  bool is_variable;  // the origin is an environment variable
};

// The entries of a text with lines "key = value"; `source` names the text in Errors.
std::vector<OptionEntry> entries_of(std::string_view text, const std::string& source);

// The entries of all variables except the one that names a file.
std::vector<OptionEntry> entries_of(const Variables& variables);

// Sets the options. Checks each value alone; does not check whether values fit together. `code` has
// the options that were given in code.
void apply(const std::vector<OptionEntry>& entries, Options& options, const Options& code);

// The path of the file with options; empty if no file was named.
std::string options_file_of(const Options& code, const Variables& variables);

}  // namespace evenkeel::detail
