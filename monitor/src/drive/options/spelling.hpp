#pragma once

// How options are spelled, and which one was probably meant.

#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::detail {

inline constexpr std::string_view variable_prefix = "EVENKEEL_";
inline constexpr std::string_view file_key = "options_file";
inline constexpr std::string_view file_variable = "EVENKEEL_OPTIONS_FILE";

std::string in_lower_case(std::string_view text);

// The environment variable that sets this option.
std::string variable_of(std::string_view key);

// The key that was probably meant, empty when none is near.
std::string_view nearest(std::string_view key, const std::vector<std::string_view>& keys);

}  // namespace evenkeel::detail
