#pragma once

// The table of options: how each is named, printed, read and checked. Its rows are in placing.cpp,
// deciding.cpp and running.cpp.

#include "drive/options/values.hpp"

#include <evenkeel/monitor/options.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::detail {

struct Descriptor {
  std::string_view key;
  const char* allowed;
  std::string (*print)(const Options&);
  // `code`: the options as given in code, before anything was read.
  bool (*parse)(std::string_view text, Options&, const Options& code);
  bool (*makes_sense)(const Options&);
};

template <auto member>
std::string print_member(const Options& options) {
  return print(options.*member);
}

template <auto member>
bool parse_member(std::string_view text, Options& options, const Options&) {
  return parse(text, options.*member);
}

template <auto member>
constexpr Descriptor describe(std::string_view key, const char* allowed,
                              bool (*makes_sense)(const Options&)) {
  return {key, allowed, &print_member<member>, &parse_member<member>, makes_sense};
}

template <auto member>
constexpr Descriptor describe(std::string_view key, const char* allowed) {
  return describe<member>(key, allowed, [](const Options&) { return true; });
}

// Where domains are and how objects get there; when to act; what is measured and told.
std::span<const Descriptor> placing_options();
std::span<const Descriptor> deciding_options();
std::span<const Descriptor> running_options();

// In the order in which to_text prints them.
const std::vector<Descriptor>& all_options();

}  // namespace evenkeel::detail
