#pragma once

// What is shown of a run that goes on: plain data, made from the lines of its journal.

#include "report/look.hpp"

#include <evenkeel/monitor/account.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool::watch {

struct Decision {
  std::int64_t step = 0;
  std::string word, reason;  // "keep", "lambda is 1.02, below .."
};

struct View {
  static constexpr std::size_t most_lambdas = 1024, most_decisions = 100;

  std::string name;
  std::int64_t ranks = 1, step = 0, looks = 0;
  std::int64_t rebalances = 0, unchanged = 0;  // that made new domains; that changed nothing
  bool is_paused = false, is_deterministic = false;
  double lambda = 1, imbalance_percent = 0;
  double slowest = 0, average = 0;        // seconds per step, or thousandths of the weight
  std::vector<double> loads;              // of each rank, the same; empty: not known
  std::vector<std::int64_t> histogram;    // ranks by share of the average, in bins of 1/64
  std::deque<double> lambdas;             // of the last looks
  std::deque<Decision> decisions;         // the last one last
  std::optional<std::int64_t> next_look;  // about
  Account account = {};
  std::optional<std::string> summary;  // of a run that has ended
  bool is_unfinished = false;          // it has ended, but not by itself
  std::int64_t broken = 0;             // lines that could not be understood
};

void take(View& view, const report::Start& start);
void take(View& view, const report::Look& look);
void take(View& view, const report::Finish& finish);

// The last look as the log has it, where there is no terminal.
std::string line_of(const View& view);

}  // namespace evenkeel::tool::watch
