// Options of a run: its clock, its thread, and what it tells.
#include "drive/options/table.hpp"

namespace evenkeel::detail {

namespace {

// Whether a line of the text of all options, which may have comments, can hold this path.
bool fits_a_line(const std::string& path) {
  return path.find_first_of(std::string_view("\n\0", 2)) == std::string::npos &&
         trimmed(path) == path && !path.starts_with('#') && path.find(" #") == std::string::npos &&
         path.find("\t#") == std::string::npos;
}

constexpr const char* path_allowed =
    "none, or a path in one line, without blanks at its ends, without ' #'";

constexpr std::array rows = {
    describe<&Options::clock>("clock", "automatic, wall or thread_cpu"),
    describe<&Options::deterministic>("deterministic", "on or off"),
    describe<&Options::strict_kernels>("strict_kernels", "on or off"),
    describe<&Options::watcher>("watcher", "on or off"),
    describe<&Options::log>("log", "off, summary, decisions or looks"),
    describe<&Options::journal>("journal", path_allowed,
                                [](const Options& o) { return fits_a_line(o.journal); }),
    describe<&Options::state>("state", path_allowed,
                              [](const Options& o) { return fits_a_line(o.state); }),
    describe<&Options::control>("control", path_allowed,
                                [](const Options& o) { return fits_a_line(o.control); }),
};

}  // namespace

std::span<const Descriptor> running_options() { return rows; }

}  // namespace evenkeel::detail
