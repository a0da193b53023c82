#pragma once

// Reads the options of programs on their command lines.

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace evenkeel::bench {

using Words = std::vector<std::string>;

// The words of a list whose separator is a comma.
inline Words words(std::string_view list) {
  Words result;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    if (!word.empty()) result.emplace_back(word);
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return result;
}

// A function that takes the value of an option, and a map with one such function for each option.
using Taker = std::function<void(const std::string& value)>;
using Takers = std::map<std::string, Taker>;

// Stores the number times `unit`, or -1 times `unit` if the value is not a number.
template <class Number>
Taker into(Number& number, double unit = 1) {
  return [&number, unit](const std::string& value) {
    number = static_cast<Number>(unit * real_from_text(value).value_or(-1));
  };
}
inline Taker into(Words& list) {
  return [&list](const std::string& value) { list = words(value); };
}

// Takes an option of the form name=value. Returns false if its name is unknown.
inline bool take(const Takers& takers, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const auto taker = takers.find(argument.substr(0, equals));
  if (equals == std::string::npos || taker == takers.end()) return false;
  taker->second(argument.substr(equals + 1));
  return true;
}

// Takes all options. An option is either --name, which sets a flag, or --name value. Returns false
// if an option is unknown or lacks its value.
inline bool take_all(const std::map<std::string, bool*>& flags, const Takers& takers,
                     const Words& arguments) {
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (const auto flag = flags.find(*argument); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    const auto taker = takers.find(*argument);
    if (taker == takers.end() || ++argument == arguments.end()) return false;
    taker->second(*argument);
  }
  return true;
}

}  // namespace evenkeel::bench
