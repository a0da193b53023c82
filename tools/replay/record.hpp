#pragma once

// The content of a journal, line by line.

#include "agree/epoch.hpp"
#include "decide/decision.hpp"
#include "decide/state.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace evenkeel::tool {

// A line of a journal, for messages. The path must outlive it.
struct RecordPlace {
  const std::string& path;
  std::int64_t line;

  std::string text() const;
};

// The header.
struct RecordedStart {
  std::string version;
  std::int64_t ranks = 0;
  State state;
};

// A decision, the data it was made from, and its result. A rebalance that no look asked for has no
// totals.
struct RecordedLine {
  State before;
  std::optional<Totals> totals;
  std::int64_t generation = 0;
  std::string decision, cause, reason;
  double predicted_gain = 0;  // seconds
  std::optional<std::int64_t> taken_at;
  RebalanceKind kind = RebalanceKind::application;

  // Whether the application's own rule decided; such a rule has no text in the recorded state.
  bool is_own() const;
};

// An Error of bad input if the file is not a journal. Returns whether its last line is incomplete;
// such a line is ignored.
bool read_journal(const std::string& path, const std::function<void(const RecordedStart&)>& start,
                  const std::function<void(const RecordPlace&, const RecordedLine&)>& line);

std::string name_of_journal(const std::string& version, std::int64_t ranks, bool is_cut_off);

}  // namespace evenkeel::tool
