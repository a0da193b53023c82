#pragma once

// The values of options as text: print(value), and parse(text, value), false for an invalid text.

#include <evenkeel/monitor/options.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::detail {

std::string_view trimmed(std::string_view text);

std::string print(double number);
std::string print(int number);
std::string print(std::int64_t number);
std::string print(bool on);
std::string print(LogLevel level);
std::string print(ClockKind kind);
std::string print(TypeCosts how);
std::string print(OnMpiError what);
std::string print(const std::string& path);

bool parse(std::string_view text, double& number);
bool parse(std::string_view text, int& number);
bool parse(std::string_view text, std::int64_t& number);
bool parse(std::string_view text, bool& on);
bool parse(std::string_view text, LogLevel& level);
bool parse(std::string_view text, ClockKind& kind);
bool parse(std::string_view text, TypeCosts& how);
bool parse(std::string_view text, OnMpiError& what);
bool parse(std::string_view text, std::string& path);

// For the options of placing.
std::string print(const Method& method);
std::string print(const std::optional<Box>& box);
std::string print(const std::array<bool, 3>& axes);
std::string print(const std::array<double, 3>& lengths);
std::string print(const std::vector<int>& numbers);

bool parse(std::string_view text, Method& method);
bool parse(std::string_view text, std::optional<Box>& box);
bool parse(std::string_view text, std::array<bool, 3>& axes);
bool parse(std::string_view text, std::array<double, 3>& lengths);
bool parse(std::string_view text, std::vector<int>& numbers);

}  // namespace evenkeel::detail
