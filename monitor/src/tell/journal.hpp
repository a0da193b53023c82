#pragma once

// The journal: one JSON object per line: a header first, then one line per look at the load, and a
// last one that says how the run has ended. A line holds in full what its decision was made from
// (raw integers, the state before), so that the decision can be made again from the file alone,
// with the same bits.

#include "agree/epoch.hpp"
#include "decide/decision.hpp"
#include "tell/files.hpp"

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/cost_table.hpp>
#include <evenkeel/monitor/outcome.hpp>

#include <cstdint>
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
  std::string name = {};  // of the Balancer; empty: none
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
  CostTable costs = {};  // of types and features, where they are learned
};

// One line of valid JSON each, without the line feed, whatever bytes the names hold. Pure.
// In "totals" and "state" times are the raw nanoseconds, a tally is [sum, least, greatest], and a
// hash is sixteen hexadecimal digits in a string. All other times are seconds, those of kernels and
// ranks per step; null is unknown, or no number. "cause" is the name of the decision's reason,
// "reason" the same in words.
EVENKEEL_API std::string to_json(const JournalHeader& header);
EVENKEEL_API std::string to_json(const JournalLine& line);
// The last line of a run that ends with finish(): its books when all steps are in them.
EVENKEEL_API std::string finished_line(std::int64_t step, const State& state,
                                       const Account& account, const std::string& summary);
// The last line of a run that ends without.
EVENKEEL_API std::string unfinished_line(std::int64_t step);

// Writes lines to a regular file, each complete when write returns. A file that cannot be made, or
// that another Journal is writing to, is an Error. A file that can no longer be written to (a full
// disk) ends the journal but not the run, after the last line that is whole; only a run that is
// killed may leave a line that is cut off and lacks its line feed.
class EVENKEEL_API Journal {
 public:
  enum class Begin {
    over,  // an earlier journal in the file is lost; any other content is an Error
    anew   // a file that is there already is an Error
  };
  explicit Journal(const std::string& path, Begin begin = Begin::over);
  void write(const std::string& line) noexcept;
  bool failed() const noexcept { return !file_.is_open(); }
  const std::string& path() const noexcept { return path_; }
  // Of the system's, when it has failed.
  int error_number() const noexcept { return error_number_; }

 private:
  std::string path_;
  detail::FileDescriptor file_;
  std::int64_t bytes_ = 0;  // of whole lines
  int error_number_ = 0;
};

}  // namespace evenkeel
