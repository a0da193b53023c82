#pragma once

// Deciding again on what a journal has recorded. Each look's line holds all that its decision was
// made from, so the same function must come to the same decision, to the last bit.

#include <cstdint>
#include <string>

namespace evenkeel::tool {

struct JournalReplay {
  std::string version;
  std::int64_t ranks = 0;
  std::int64_t looks = 0;       // decided again, alike
  std::int64_t own = 0;         // decided by a rule of the application's own, which is not here
  std::int64_t rebalances = 0;  // carried out
  // Lines whose state is what the line before has led to. Others follow a rebalance that the
  // application asked for while a look was under way.
  std::int64_t continued = 0;
  bool is_cut_off = false;  // in its last line, which counts for nothing
};

// An Error of bad input for what is no journal; another one where a decision differs, which says
// where and how.
JournalReplay replay_journal(const std::string& path);

std::string report_of(const JournalReplay& replay, bool is_json);

}  // namespace evenkeel::tool
