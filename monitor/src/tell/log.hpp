#pragma once

// What people read while an application runs: a line for each decision, and a summary at the end,
// written through spdlog by rank 0. An application that has registered a logger of the name
// "evenkeel" gets the lines there; otherwise they go to stderr.

#include "decide/state.hpp"
#include "tell/journal.hpp"

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/cost_table.hpp>
#include <evenkeel/monitor/log_level.hpp>

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace evenkeel {

// The line for a look, or for a rebalance without one. Pure.
std::string log_line(const JournalLine& line);

// A run as its last state shows it, in a few lines for somebody who knows physics. Pure.
struct Summary {
  State state;
  Account account;
  std::int64_t steps = 0;
  int ranks = 1;
  bool is_deterministic = false;
  bool moves = true;           // false: since the first look nothing but advice was given
  std::int64_t advices = 0;    // how often such a run would have been balanced
  CostTable costs = {};        // of types and features
  bool guesses_costs = false;  // of objects, so badly that cuts have fallen short
};

// What to do where cuts fall short because nobody has said what objects cost.
extern const char* const advice_on_costs;

EVENKEEL_API std::string summary_of(const Summary& run);

// A line for each type and feature; empty for an empty table. Pure.
std::string lines_of(const CostTable& costs);

class Log {
 public:
  // `name`: of the Balancer, which its lines begin with; empty: none.
  explicit Log(LogLevel level, std::string name = {});
  bool shows(LogLevel level) const noexcept { return level <= level_ && logger_ != nullptr; }
  // One message, in as many lines as it has. What cannot be written is lost.
  void write(const std::string& text) const noexcept;
  // The same, as a warning.
  void warn(const std::string& text) const noexcept;

 private:
  void write(const std::string& text, int level) const noexcept;

  LogLevel level_;
  std::string name_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace evenkeel
