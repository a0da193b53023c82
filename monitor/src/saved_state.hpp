#pragma once

// What a run has learned, for the next one: text in a file, or in a checkpoint of the
// application's.

#include <evenkeel/monitor/state.hpp>

#include <string>

namespace evenkeel {

std::string saved_text(const State& state, int ranks);

// `first` with what was learned by a run on as many ranks as it was. What a rebalance costs counts
// where the method is the same, and little on another number of ranks; what the load was like
// counts on the same number of ranks alone. Throws an Error for what is no saved state.
State restored(const State& first, const std::string& saved, int ranks, const std::string& source);

// The text of the file; empty where there is none yet. An Error where it cannot be read.
std::string read_saved(const std::string& path);

// Whole or not at all; false when that fails.
bool write_saved(const std::string& path, const std::string& text);

}  // namespace evenkeel
