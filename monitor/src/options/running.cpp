// Options of a run: its clock, its thread, and its output.
#include "options/table.hpp"

#include <cmath>

namespace evenkeel::detail {

namespace {

// True if a path can be read back from its line in a text of options, which may have comments.
bool fits_a_line(const std::string& path) {
  return path.find_first_of(std::string_view("\n\0", 2)) == std::string::npos &&
         trimmed(path) == path && !path.starts_with('#') && path.find(" #") == std::string::npos &&
         path.find("\t#") == std::string::npos;
}

constexpr const char* path_allowed =
    "none, or a path in one line, without blanks at its ends, without ' #'";

// True if a name may be given to a Balancer: the log and commands put a colon after it.
bool is_word(const std::string& name) {
  constexpr std::size_t most = 64;
  return name.size() <= most && fits_a_line(name) && std::ranges::none_of(name, [](char c) {
           return c == ':' || static_cast<unsigned char>(c) <= ' ';
         });
}

constexpr std::array running_rows = {
    describe<&Options::clock>("clock", "automatic, wall or thread_cpu"),
    describe<&Options::probe_share>(
        "probe_share", "a number from 0 (off) to 1",
        [](const Options& o) { return o.probe_share >= 0 && o.probe_share <= 1; }),
    describe<&Options::type_costs>("type_costs", "robust, minimum_norm or off"),
    describe<&Options::deterministic>("deterministic", "on or off"),
    describe<&Options::strict_kernels>("strict_kernels", "on or off"),
    describe<&Options::on_mpi_error>("on_mpi_error", "error or abort"),
    describe<&Options::watcher>("watcher", "on or off"),
    describe<&Options::patience>(
        "patience", "a number of at least 0 (off)",
        [](const Options& o) { return o.patience >= 0 && std::isfinite(o.patience); }),
    describe<&Options::log>("log", "off, summary, decisions or looks"),
    describe<&Options::name>("name", "none, or a word of at most 64 characters without ':'",
                             [](const Options& o) { return is_word(o.name); }),
    describe<&Options::journal>("journal", path_allowed,
                                [](const Options& o) { return fits_a_line(o.journal); }),
    describe<&Options::state>("state", path_allowed,
                              [](const Options& o) { return fits_a_line(o.state); }),
    describe<&Options::control>("control", path_allowed,
                                [](const Options& o) { return fits_a_line(o.control); }),
};

}  // namespace

std::span<const Descriptor> running_options() { return running_rows; }

}  // namespace evenkeel::detail
