#pragma once

// Options as text: in files, in the environment and in the journal.

#include <evenkeel/monitor/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// Throws an Error for invalid options. Local.
EVENKEEL_API void check(const Options& options);

// One line "key = value" per option that has a text (all but methods, options_file and own_clock),
// in a fixed order. from_text() reads them back; only the function of a Custom trigger is lost.
EVENKEEL_API std::string to_text(const Options& options);

// `base`, changed by the lines "key = value" of `text`. A # at the start of a line or after a blank
// begins a comment; empty lines are skipped. `source` names the text in Errors. A key that occurs
// twice is an Error. A trigger `custom` keeps the function of `base`. Checks each value by itself;
// check() also checks them together. Local.
EVENKEEL_API Options from_text(const std::string& text, const Options& base,
                               const std::string& source);

// Names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

// The environment variables whose names begin with EVENKEEL_, except for those that other parts
// read (EVENKEEL_DEVICE_AWARE_MPI, _NEWEST_ROOT, _DEBIAN_MIRROR, _TEST_*) and those that module
// systems set (EVENKEEL_ROOT, _DIR, _HOME, _PREFIX, _VERSION, _LIB, _INC, _BIN).
EVENKEEL_API Variables environment_options();

// `code`, overridden by the options file and then by `variables`; the result is checked. Local.
EVENKEEL_API Options resolve(const Options& code, const Variables& variables);

// Collective. Returns on all ranks the result of resolve() for code and environment of rank 0. If
// it throws there, all ranks throw the same Error.
EVENKEEL_API Options agree(const Communicator& communicator, const Options& code);

}  // namespace evenkeel
