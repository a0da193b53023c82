#pragma once

// Saves what a run has learned for the next run, as a text in a file, or in a checkpoint of the
// application.

#include "decide/state.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <optional>

namespace evenkeel {

// `steps` is the number of steps that the run has made.
std::string saved_text(const DecisionState& state, int ranks, std::int64_t steps,
                       const CostTable& costs = {});

// The start of a run that restores an earlier one.
struct Restored {
  DecisionState state;
  CostTable costs;         // learned costs of types and features
  std::int64_t steps = 0;  // number of steps that the earlier run had made
};

// Returns `first` with the knowledge of the run that has saved the text `saved`. The cost of a
// rebalance is taken over if the method is the same; if the number of ranks differs, it gets a
// small weight. The behaviour of the load is taken over only if the number of ranks is the same.
// `source` names the text in messages. Throws an Error if the text is not a saved state.
Restored restored(const DecisionState& first, const std::string& saved, int ranks,
                  const std::string& source);

// Collective. Calls restored() on all ranks with the text of rank 0. If that text is empty, the
// result is empty.
std::optional<Restored> restored_on_all(const Communicator& communicator, std::string saved,
                                        const DecisionState& first, const std::string& source);

// Returns the text of the file, or an empty text if there is no file yet. Throws an Error if the
// file cannot be read, or is not a regular file.
std::string read_saved(const std::string& path);

// Writes the whole text or nothing: writes a new file with the permissions of the old one, and
// replaces the old file when the new one is complete. If `path` is a symbolic link, replaces its
// target. Returns the reason of a failure, or an empty text.
std::string write_saved(const std::string& path, const std::string& text);

// Returns the reason why write_saved() would fail now, or an empty text. Tries to make a file
// beside `path`.
std::string unwritable_reason(const std::string& path);

}  // namespace evenkeel
