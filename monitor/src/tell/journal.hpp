#pragma once

// The journal: one JSON object per line, a header first, then one line per look at the load. A line
// holds in full what its decision was made from (raw integers, the state before), so that the
// decision can be made again from the file alone, with the same bits.

#include "agree/epoch.hpp"
#include "decide/decision.hpp"

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/outcome.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// What the first line says.
struct JournalHeader {
  std::string options;  // as to_text writes them
  int ranks = 1;
  std::vector<std::string> kernels;  // that rank 0 knows at the start
  State state;
  bool restored = false;  // the state comes from an earlier run
};

// One look at the load, and what came of it. A rebalance that the trigger asked for by its step, or
// that the application asked for, has no totals.
struct JournalLine {
  std::int64_t step = 0;
  State before;
  std::optional<Totals> totals;
  Decision decision;
  std::string reason;
  std::vector<std::string> kernels;  // the names of totals->kernels, if ranks agree on them
  std::optional<LoadPicture> picture;
  std::optional<Outcome> outcome;  // when the advice was taken
  std::int64_t taken_at = -1;      // the step after which it was taken; -1: not taken
  RebalanceKind kind = RebalanceKind::application;
};

// One line of valid JSON each, without the line feed, whatever bytes the names hold. Pure.
// In "totals" and "state" times are the raw nanoseconds, a tally is [sum, least, greatest], and a
// hash is sixteen hexadecimal digits in a string. All other times are seconds, those of kernels and
// ranks per step; null is unknown, or no number. "cause" is the name of the decision's reason,
// "reason" the same in words.
EVENKEEL_API std::string to_json(const JournalHeader& header);
EVENKEEL_API std::string to_json(const JournalLine& line);

// Writes lines to a file, each complete when write returns. Earlier content of the file is lost. A
// file that cannot be made, or that another Journal is writing to, is an Error. A file that can no
// longer be written to (a full disk) ends the journal but not the run; only then, or when the
// process is killed, may the last line be cut off and lack its line feed.
class EVENKEEL_API Journal {
 public:
  explicit Journal(const std::string& path);
  void write(const std::string& line) noexcept;
  bool failed() const noexcept { return file_ == nullptr; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept;
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace evenkeel
