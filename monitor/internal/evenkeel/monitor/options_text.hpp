#pragma once

// Options as text: in files, in the environment and in the journal.

#include <evenkeel/monitor/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// Throws an Error for options that make no sense. Local.
EVENKEEL_API void check(const Options& options);

// One line "key = value" per option that has a text (all but methods, options_file and own_clock),
// in a fixed order; from_text reads them back without loss.
EVENKEEL_API std::string to_text(const Options& options);

// `base` with the lines of `text` applied: "key = value"; # at the start of a line or behind a
// blank begins a comment; empty lines are skipped. `source` names the text in Errors. A key that
// occurs twice is an Error. A trigger `custom` keeps the function of `base`. Each value is checked
// by itself, check() looks at all of them together. Local.
EVENKEEL_API Options from_text(const std::string& text, const Options& base,
                               const std::string& source);

// Name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

// The variables of this process whose names begin with EVENKEEL_ and mean an option: what other
// parts read (EVENKEEL_DEVICE_AWARE_MPI, EVENKEEL_TEST_*) and what module systems set
// (EVENKEEL_ROOT, _DIR, _HOME, _PREFIX, _VERSION, _LIB, _INC, _BIN) is left out.
EVENKEEL_API Variables environment_options();

// `code`, overridden by the options file and then by `variables`; the result is checked. Local.
EVENKEEL_API Options resolve(const Options& code, const Variables& variables);

// Collective. Returns on all ranks what resolve() makes of code and environment on rank 0. If it
// throws there, all ranks throw the same Error.
EVENKEEL_API Options agree(const Communicator& communicator, const Options& code);

}  // namespace evenkeel
