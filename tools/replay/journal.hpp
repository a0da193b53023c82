#pragma once

// Repeats the decisions that a journal has recorded, or extracts a chain of costs from it. The line
// of each look holds all data that its decision used. So the same function must reach the same
// decision, to the last bit.

#include "files/byte_source.hpp"
#include "journal/reader.hpp"

#include <vector>

namespace evenkeel::tool {

struct JournalReplay {
  std::string version;
  std::int64_t ranks = 0;
  std::int64_t looks = 0;       // decided again, with the same result
  std::int64_t own = 0;         // decided by the application's own rule, which is not known here
  std::int64_t rebalances = 0;  // those that have made new domains
  std::int64_t unchanged = 0;   // the others, which have changed nothing
  // The number of lines whose state results from the line before. Any other line follows a
  // rebalance that the application requested while a look was under way.
  std::int64_t continued = 0;
  Reading reading = {};
};

// Throws an Error of bad input if the file is not a journal. If a decision differs, throws an Error
// of disagreement that names the line and the difference.
JournalReplay replay_journal(const std::string& path, const Progress& progress = {});

std::string report_of(const JournalReplay& replay, bool is_json);

// The chain of costs that a journal has recorded: a row for each step, a column for each rank. Each
// rank is a bin. Rows can be compared only if nothing has moved between them.
struct ChainTable {
  std::vector<double> costs;  // row by row, in seconds
  std::uint64_t bins = 1;
};

// The cost of a rank in a step is its seconds per step, as the next look has measured them. Steps
// of looks that have measured nothing are left out. Throws an Error of bad input if the file is not
// a journal, if it lacks the seconds of single ranks, or if domains have changed between its looks.
ChainTable chain_of_journal(const std::string& path, const Progress& progress = {});

// The costs in the file of a chain, unchanged.
ChainTable chain_in_file(const std::string& path);

}  // namespace evenkeel::tool
