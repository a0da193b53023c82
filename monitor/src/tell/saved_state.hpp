#pragma once

// What a run has learned, for the next one: text in a file, or in a checkpoint of the
// application's.

#include "decide/state.hpp"

#include <evenkeel/monitor/cost_table.hpp>

#include <cstdint>
#include <string>

namespace evenkeel {

// `steps`: that the run has made.
std::string saved_text(const State& state, int ranks, std::int64_t steps,
                       const CostTable& costs = {});

// `first` with what an earlier run has learned. What a rebalance costs is taken over if the method
// is the same, and counts little on another number of ranks; what the load was like is taken over
// on the same number of ranks only. Throws an Error for a text that is not a saved state.
State restored(const State& first, const std::string& saved, int ranks, const std::string& source);

// How many steps the run had made that saved this, for one that goes on with it.
std::int64_t steps_in(const std::string& saved, const std::string& source);

// What it had learned of the costs of types and features.
CostTable costs_in(const std::string& saved, const std::string& source);

// The text of the file; empty where there is none yet. An Error where it cannot be read, or is not
// a regular file.
std::string read_saved(const std::string& path);

// Writes the whole text or nothing, to a file that takes the place of the old one when it is
// complete and has its rights. A link stays, and what it leads to is replaced. Returns why not;
// empty: it is written.
std::string write_saved(const std::string& path, const std::string& text);

// Why write_saved would fail now, tried by making a file beside it; empty: it would not.
std::string unwritable_reason(const std::string& path);

}  // namespace evenkeel
