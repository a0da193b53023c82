#pragma once

// What a journal has on record, line by line.

#include <evenkeel/monitor/decision.hpp>
#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/state.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace evenkeel::tool {

// Where something is wrong. The path outlives it.
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

// What was decided from what, and what came of it. A rebalance that no look asked for has no
// totals.
struct RecordedLine {
  State before;
  std::optional<Totals> totals;
  std::int64_t generation = 0;
  std::string decision, cause, reason;
  double predicted_gain = 0;  // seconds
  std::optional<std::int64_t> taken_at;
  RebalanceKind kind = RebalanceKind::application;

  // Which rule decides is part of the recorded state; one of an application's own has no text.
  bool is_own() const;
};

// An Error of bad input for what is no journal. Returns whether it is cut off in its last line,
// which counts for nothing.
bool read_journal(const std::string& path, const std::function<void(const RecordedStart&)>& start,
                  const std::function<void(const RecordPlace&, const RecordedLine&)>& line);

std::string name_of_journal(const std::string& version, std::int64_t ranks, bool is_cut_off);

}  // namespace evenkeel::tool
