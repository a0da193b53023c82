#pragma once

// Repeats the decisions that a journal has recorded. The line of each look holds everything from
// which its decision was made, so the same function must reach the same decision, to the last bit.

#include "replay/record.hpp"

#include <cstdint>
#include <string>

namespace evenkeel::tool {

struct JournalReplay {
  std::string version;
  std::int64_t ranks = 0;
  std::int64_t looks = 0;       // decided again, with the same result
  std::int64_t own = 0;         // decided by the application's own rule, which is not known here
  std::int64_t rebalances = 0;  // that have made new domains
  std::int64_t unchanged = 0;   // others, which have changed nothing
  // Lines whose state is the one that results from the line before. Other lines follow a rebalance
  // that the application asked for while a look was under way.
  std::int64_t continued = 0;
  JournalEnd end = {};
};

// An Error of bad input if the file is not a journal; an Error of disagreement if a decision
// differs, which says where and how.
JournalReplay replay_journal(const std::string& path, const Progress& progress = {});

std::string report_of(const JournalReplay& replay, bool is_json);

}  // namespace evenkeel::tool
