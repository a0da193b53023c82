// Which variables of the environment are options.
#include "drive/options/spelling.hpp"

#include <evenkeel/monitor/options.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace evenkeel {

namespace {

bool means_an_option(std::string_view name) {
  constexpr std::array<std::string_view, 3> read_elsewhere = {"DEVICE_AWARE_MPI", "NEWEST_ROOT",
                                                              "DEBIAN_MIRROR"};
  constexpr std::array<std::string_view, 8> of_modules = {"ROOT",    "DIR", "HOME", "PREFIX",
                                                          "VERSION", "LIB", "INC",  "BIN"};
  if (!name.starts_with(detail::variable_prefix)) return false;
  const std::string_view rest = name.substr(detail::variable_prefix.size());
  return !rest.starts_with("TEST_") &&
         std::ranges::find(read_elsewhere, rest) == read_elsewhere.end() &&
         std::ranges::find(of_modules, rest) == of_modules.end();
}

}  // namespace

Variables environment_options() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && means_an_option(text.substr(0, equals)))
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace evenkeel
