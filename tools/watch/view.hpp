#pragma once

// The current state of a run as plain data, which is built from the lines of its journal.

#include "tell/journal.hpp"

#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool::watch {

struct Shown {
  std::int64_t step = 0;
  std::string word, reason;  // "keep", "lambda is 1.02, below .."
};

struct View {
  static constexpr std::size_t most_lambdas = 1024, most_decisions = 100;

  std::string name;
  std::int64_t ranks = 1, step = 0, looks = 0, last_look = 0;
  std::int64_t rebalances = 0, unchanged = 0;  // with new domains; with no change
  bool is_paused = false, is_deterministic = false;
  double lambda = 1, imbalance_percent = 0;
  double slowest = 0, average = 0;        // seconds per step, or thousandths of the weight
  std::vector<double> loads;              // of each rank, in the same unit; empty if unknown
  std::vector<std::int64_t> histogram;    // ranks by share of the average, in bins of 1/64
  std::deque<double> lambdas;             // of the last looks
  std::deque<Shown> decisions;            // the last one last
  std::optional<std::int64_t> next_look;  // an estimate of its step
  MemoryTotals memory = {};               // at the last look
  Account account = {};
  Metrics::SlowRank slow = {};
  std::optional<std::string> summary;  // of a run that has ended
  bool is_unfinished = false;          // it has ended without finish()
  std::int64_t broken = 0;             // lines that could not be understood
};

void take(View& view, const JournalHeader& start);
void take(View& view, const JournalLine& look);
void take(View& view, const JournalFinish& finish);

// The last look as a line of the log, for output that is not a terminal.
std::string line_of(const View& view);

// The run in the text format that Prometheus reads.
std::string metrics_of(const View& view);

}  // namespace evenkeel::tool::watch
