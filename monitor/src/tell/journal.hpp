#pragma once

// The journal has one JSON object per line: a header, a line for each look, and a last line that
// says how the run has ended. The line of a look holds the whole input of its decision (raw
// integers, the state before), so that the decision can be repeated to the bit from the file alone.
// `tell/journal_members.hpp` lists the members of a line; docs/howto describes how to add a field.

#include "decide/decision.hpp"
#include "tell/files.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <optional>

namespace evenkeel {

// The first line.
struct JournalHeader {
  std::string options;  // as to_text writes them
  int ranks = 1;
  std::vector<std::string> kernels;  // the names that rank 0 knows at the first line
  DecisionState state;
  bool restored = false;  // the state comes from an earlier run
  std::string name = {};  // of the Balancer; may be empty
  std::string version = EVENKEEL_VERSION;
};

// One look, with its decision and the outcome; or a rebalance without a look, for which the trigger
// (at a fixed step) or the application has asked. Such a rebalance has no totals.
struct JournalLine {
  std::int64_t step = 0;
  DecisionState before;
  std::optional<Totals> totals;
  Decision decision;
  std::string reason;
  std::vector<std::string> kernels;  // the names of totals->kernels, if ranks agree on them
  std::optional<LoadPicture> picture;
  std::optional<Outcome> outcome;  // of the rebalance, if the advice was followed
  std::int64_t taken_at = -1;      // the step after which the advice was followed, or -1
  // The step of the decision, if a line before this one has it: the advice has waited for a step in
  // which objects may move, and a later look has asked for nothing.
  std::optional<std::int64_t> decided_at = {};
  bool waits = false;  // true if the advice may still be followed, in a later line; not written
  RebalanceKind kind = RebalanceKind::application;
  CostTable costs = {};         // of types and features, if they are learned
  Metrics::SlowRank slow = {};  // if one is known
};

// The last line of a run that ends with finish().
struct JournalFinish {
  std::int64_t step = 0;
  DecisionState state;  // at the end of the run
  Account account;
  std::string summary;  // as in the log
};

// Seconds per step of one kernel: the least, the average and the greatest of the ranks.
struct KernelSeconds {
  std::string name;
  double least = 0, average = 0, greatest = 0;
};
// The kernels of a line. Kernels without a slot are summed up as "other". Empty if the line has no
// totals, or if ranks do not agree on the names.
EVENKEEL_API std::optional<std::vector<KernelSeconds>> kernel_seconds(const JournalLine& line);
// A line shows single ranks in one of two forms; the other form is empty. With few ranks it has the
// seconds per step of each rank. With many ranks it has a histogram of the loads as shares of the
// last mean.
EVENKEEL_API std::vector<double> rank_seconds(const JournalLine& line);
EVENKEEL_API std::span<const std::int64_t> rank_shares(const JournalLine& line) noexcept;
// The lines "key = value" of options, split into keys and values.
EVENKEEL_API std::vector<std::pair<std::string, std::string>> entries_of(
    const std::string& options);

// Each returns one line of valid JSON, without the line feed, whatever bytes the names hold. Pure.
// In "totals" and "state", times are raw nanoseconds, a tally is [sum, least, greatest], and a hash
// is a string of sixteen hexadecimal digits. All other times are in seconds; those of kernels and
// of ranks are in seconds per step. A number that is unknown or not finite is null. "cause" is the
// name of the decision's reason, and "reason" is a sentence about it.
EVENKEEL_API std::string to_json(const JournalHeader& header);
EVENKEEL_API std::string to_json(const JournalLine& line);
EVENKEEL_API std::string to_json(const JournalFinish& finish);
// The last line of a run that ends without finish().
EVENKEEL_API std::string unfinished_line(std::int64_t step);
// The line in place of the first line that is left out, of this step.
EVENKEEL_API std::string left_out_line(std::int64_t step);

// Writes lines to a regular file; a line is complete when write returns. The constructor throws an
// Error if the file cannot be made, or if another Journal is writing to it. If the file can no
// longer be written to (a full disk), the journal ends after the last whole line, but the run
// continues. Only a run that is killed may leave an incomplete line, without a line feed.
class EVENKEEL_API Journal {
 public:
  enum class OpenMode {
    over,  // overwrites an earlier journal in the file; any other content is an Error
    anew   // an existing file is an Error
  };
  explicit Journal(const std::string& path, OpenMode begin = OpenMode::over);
  void write(const std::string& line) noexcept;
  bool failed() const noexcept { return !file_.is_open(); }
  const std::string& path() const noexcept { return path_; }
  // The error number of the system, if writing has failed.
  int error_number() const noexcept { return error_number_; }

 private:
  std::string path_;
  detail::FileDescriptor file_;
  std::int64_t bytes_ = 0;  // of whole lines
  int error_number_ = 0;
};

}  // namespace evenkeel
