#pragma once

// Options as read from a text or from the environment, and how they are applied.

#include <evenkeel/monitor/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::detail {

// A value and where it stands.
struct Entry {
  std::string place;  // before the name in Errors
  std::string name;   // of the option as it is spelled there
  std::string key;    // empty when the spelling is wrong
  std::string value;
  bool is_variable;
};

// Lines "key = value" of a text; `source` names it in Errors.
std::vector<Entry> entries_of(std::string_view text, const std::string& source);

// All variables but the one that names a file.
std::vector<Entry> entries_of(const Variables& variables);

// Each value is checked by itself. `code`: the options as given in code.
void apply(const std::vector<Entry>& entries, Options& options, const Options& code);

// The file that options are to be read from; empty: none.
std::string options_file_of(const Options& code, const Variables& variables);

}  // namespace evenkeel::detail
