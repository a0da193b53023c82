#pragma once

// The table of options. A row has the name of an option, its allowed values as text, and functions
// that print, read and check it. The rows are in placing.cpp, deciding.cpp and running.cpp.

#include "options/values.hpp"

#include <evenkeel/backends/error.hpp>

#include <span>

namespace evenkeel::detail {

inline constexpr const char* options_stage = "monitor/options";
inline constexpr Refusal refuse_option{options_stage};

struct Descriptor {
  std::string_view key;
  const char* allowed;
  std::string (*print)(const Options&);
  // `code` has the options that were given in code, before any were read.
  bool (*parse)(std::string_view text, Options&, const Options& code);
  bool (*makes_sense)(const Options&);
};

// `path` leads to the value of an option. It is a member of Options or, if this member is a struct,
// the member and one of its own members.
template <auto... path>
std::string print_member(const Options& options) {
  return print((options.*....*path));
}

template <auto... path>
bool parse_member(std::string_view text, Options& options, const Options&) {
  return parse(text, (options.*....*path));
}

template <auto... path>
constexpr Descriptor describe(
    std::string_view key, const char* allowed,
    bool (*makes_sense)(const Options&) = [](const Options&) { return true; }) {
  return {key, allowed, &print_member<path...>, &parse_member<path...>, makes_sense};
}

// The options of domains and moves, of decisions, and of measurements and output.
std::span<const Descriptor> placing_options();
std::span<const Descriptor> deciding_options();
std::span<const Descriptor> running_options();

// All rows, in the order in which to_text prints them.
const std::vector<Descriptor>& all_options();

}  // namespace evenkeel::detail
