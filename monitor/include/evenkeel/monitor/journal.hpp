#pragma once

// The journal: one JSON object per line, a header first, then one line per look at the load. What a
// decision was made from is in its line in full (raw integers, the state before), so that the
// decision can be made again from the file alone, with the same bits.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/decision.hpp>
#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/options.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// What came of an advice. Seconds of stages are those of the slowest rank.
struct Outcome {
  bool moved = true;     // false: the decomposition is what it was
  bool earlier = false;  // earlier domains were taken again
  std::int64_t objects_moved = 0, bytes_moved = 0;
  double seconds = 0;  // from begin to end, on this rank
  double lambda = 0;   // of the new domains, by the weights of the objects; 0: not known
  std::vector<std::pair<std::string, double>> stages = {};
};

// What the first line says.
struct JournalHeader {
  Options options;
  int ranks = 1;
  std::vector<std::string> kernels;  // that rank 0 knows at the start
  State state;
  bool restored = false;  // the state comes from an earlier run
};

// One look at the load, and what came of it. A rebalance that no look asked for (by its step, or by
// the application) has no totals.
struct JournalLine {
  std::int64_t step = 0;
  State before;
  std::optional<Totals> totals;
  Decision decision;
  std::string reason;
  std::vector<std::string> kernels;  // the names behind totals->kernels, when they agree
  std::optional<LoadPicture> picture;
  std::optional<Outcome> outcome;  // when the advice was taken
  std::int64_t taken_at = -1;      // the step after which it was; -1: not
  RebalanceKind kind = RebalanceKind::application;
};

// One line of valid JSON each, without the line feed, whatever bytes the names hold. Pure.
// In "totals" and "state" times are the raw nanoseconds, a tally is [sum, least, greatest], and a
// hash is sixteen hexadecimal digits in a string. All other times are seconds, those of kernels and
// ranks per step; null is unknown, or no number. "cause" is the name of the decision's reason,
// "reason" the same in words.
EVENKEEL_API std::string to_json(const JournalHeader& header);
EVENKEEL_API std::string to_json(const JournalLine& line);

// Writes lines to a file, each complete when write returns. What was in it is gone. A file that
// cannot be made, or that another Journal is writing to, is an Error;
// one that can no longer be written to (a full disk) ends the journal and not the run; only then,
// or when the process is killed, can the last line be cut off, and lack its line feed.
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
