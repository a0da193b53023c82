#pragma once

// The settings that a user can choose.

#include <evenkeel/evenkeel.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ek = evenkeel;

enum class Balance { off, on, advice };

struct Settings {
  int edge = 37;  // beads along an edge of the gel
  std::int64_t steps = 900;
  Balance balance = Balance::on;
  ek::Method method = ek::Staggered{};
  bool costs_are_given = true;
  bool by_cpu_time = false;  // for ranks that share cores
  bool table = false;        // one line for programs instead of several for people
  std::string picture = {};

  static constexpr const char* usage =
      "usage: 06_gel [--balance on|off|advice] [--method METHOD] [--costs given|learned]\n"
      "              [--edge BEADS] [--steps N] [--clock wall|cpu] [--table] [--picture FILE.svg]\n"
      "METHOD: hilbert, morton, snake, staggered, tensor, bisection, voronoi, mesh; grids and "
      "meshes also as 'tensor 4x2x1'\n";
};

namespace settings {

// Reads a text that is a whole number from `least` to `most`; returns false for any other text.
template <class Number>
bool read_number(std::string_view text, Number least, Number most, Number& into) {
  const char* const end = text.data() + text.size();
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < least || number > most) return false;
  into = number;
  return true;
}

// Reads any method that places beads by their positions.
inline bool read_method(std::string_view text, ek::Method& into) {
  const std::optional<ek::Method> method = ek::method_from_text(text);
  if (!method || ek::places_by_graph(*method)) return false;
  into = *method;
  return true;
}

inline bool read_balance(std::string_view text, Balance& into) {
  if (text == "on")
    into = Balance::on;
  else if (text == "off")
    into = Balance::off;
  else if (text == "advice")
    into = Balance::advice;
  else
    return false;
  return true;
}

// Reads an option and its value.
inline bool read_pair(std::string_view option, std::string_view value, Settings& into) {
  constexpr int most_of_edge = 200;
  constexpr std::int64_t most_steps = 1'000'000'000;
  if (option == "--balance") return read_balance(value, into.balance);
  if (option == "--method") return read_method(value, into.method);
  if (option == "--edge") return read_number(value, 2, most_of_edge, into.edge);
  if (option == "--steps") return read_number(value, std::int64_t{1}, most_steps, into.steps);
  if (option == "--costs" && (value == "given" || value == "learned")) {
    into.costs_are_given = value == "given";
    return true;
  }
  if (option == "--clock" && (value == "wall" || value == "cpu")) {
    into.by_cpu_time = value == "cpu";
    return true;
  }
  if (option == "--picture" && !value.empty()) {
    into.picture = value;
    return true;
  }
  return false;
}

}  // namespace settings

// Returns no settings if an argument is unknown or has a bad value.
inline std::optional<Settings> read_settings(int argc, char** argv) {
  Settings read;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--table") {
      read.table = true;
    } else if (i + 1 == argc || !settings::read_pair(option, argv[++i], read)) {
      return std::nullopt;
    }
  }
  return read;
}
