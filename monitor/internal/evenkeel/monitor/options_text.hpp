#pragma once

// Options as text: in files, in the environment and in the journal.

#include <evenkeel/monitor/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// Throws an Error for invalid options. Local.
EVENKEEL_API void check(const Options& options);

// Returns one line "key = value" for each option except methods, options_file and own_clock, in a
// fixed order. from_text() reads these lines back; only the function of a Custom trigger is lost.
EVENKEEL_API std::string to_text(const Options& options);

// Returns `base`, changed by the lines "key = value" of `text`. A # at the start of a line or after
// a blank begins a comment; empty lines are skipped. `source` names the text in Errors. A key that
// occurs twice is an Error. A trigger `custom` keeps the function of `base`. Checks each value
// alone; check() also checks whether the values fit together. Local.
EVENKEEL_API Options from_text(const std::string& text, const Options& base,
                               const std::string& source);

// Names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

// Returns the environment variables whose names begin with EVENKEEL_, except those that other code
// reads (EVENKEEL_DEVICE_AWARE_MPI, _NEWEST_ROOT, _DEBIAN_MIRROR, _TEST_*) and those that module
// systems set (EVENKEEL_ROOT, _DIR, _HOME, _PREFIX, _VERSION, _LIB, _INC, _BIN).
EVENKEEL_API Variables environment_options();

// Returns `code`, overridden by the options file and then by `variables`, after checking it. Local.
EVENKEEL_API Options resolve(const Options& code, const Variables& variables);

// Collective. Returns on all ranks the result of resolve() for the code and the environment of rank
// 0. If resolve() throws on rank 0, all ranks throw the same Error. If objects are not placed,
// options of domains and moves in the code are an Error, too.
EVENKEEL_API Options agree(const Communicator& communicator, const Options& code,
                           bool places_objects = true);

}  // namespace evenkeel
