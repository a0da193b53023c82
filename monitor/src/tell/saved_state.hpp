#pragma once

// The knowledge of a run for the next one: a text in a file, or in a checkpoint of the application.

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
  CostTable costs;         // of types and features
  std::int64_t steps = 0;  // that the earlier run had made
};

// `first` with the knowledge of an earlier run. The cost of a rebalance is taken over if the method
// is the same, and counts little on another number of ranks. The behaviour of the load is taken
// over only on the same number of ranks. Throws an Error for a text that is not a saved state.
Restored restored(const DecisionState& first, const std::string& saved, int ranks,
                  const std::string& source);

// Collective. The same from the text of rank 0; empty if that is empty.
std::optional<Restored> restored_on_all(const Communicator& communicator, std::string saved,
                                        const DecisionState& first, const std::string& source);

// The text of the file; empty if there is no file yet. Throws an Error if the file cannot be read,
// or is not a regular file.
std::string read_saved(const std::string& path);

// Writes the whole text or nothing: a new file, with the permissions of the old one, replaces it
// when it is complete. A link stays, and its target is replaced. Returns the reason of a failure,
// or an empty text.
std::string write_saved(const std::string& path, const std::string& text);

// The reason why write_saved would fail now, or an empty text. Tries to make a file beside `path`.
std::string unwritable_reason(const std::string& path);

}  // namespace evenkeel
