#pragma once

// The errors of the readers and writers of files. All of them come from the stage "tools/files", in
// one line that names the file, the place in it, and the remedy.

#include <evenkeel/backends/error.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace evenkeel::tool {

std::string joined(std::initializer_list<std::string_view> parts);

// Throws the Error for input that the user can correct: the program ends with status 2.
inline constexpr Refusal refuse{"tools/files"};

// Throws the Error for failures of the machine, such as a full disk: the program ends with
// status 1.
[[noreturn]] void give_up(std::string problem, std::string remedy);

// The errors of a sub-command that the user can correct.
struct CommandRefusal : Refusal {
  // Throws the Error for an invalid value of an option.
  [[noreturn]] void value(std::string_view option, std::string_view value,
                          std::string remedy) const;
  // Reads a number of bytes, which may have a unit.
  double bytes_in(std::string_view option, std::string_view text) const;
};
inline constexpr CommandRefusal refuse_assign{{"tools/assign"}}, refuse_control{{"tools/control"}},
    refuse_fit{{"tools/fit"}}, refuse_partition{{"tools/partition"}},
    refuse_replay{{"tools/replay"}};

// The system's description of a value of errno.
std::string reason_of(int error_number);

}  // namespace evenkeel::tool
