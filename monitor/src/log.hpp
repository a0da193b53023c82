#pragma once

// What people read while an application runs: a line for each decision, and a summary at the end,
// written through spdlog by rank 0. An application that has registered a logger of the name
// "evenkeel" gets the lines there; otherwise they go to stderr.

#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/journal.hpp>
#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/state.hpp>

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace evenkeel {

// The line for a look, or for a rebalance without one. Pure.
std::string log_line(const JournalLine& line);

// What a run was like, from its last state: some lines for one who knows physics. Pure.
struct Summary {
  State state;
  Account account;
  std::int64_t steps = 0;
  int ranks = 1;
  bool is_deterministic = false;
  bool moves = true;         // false: since the first look nothing but advice was given
  std::int64_t advices = 0;  // how often it would have been balanced, then
};
std::string summary_of(const Summary& run);

class Log {
 public:
  explicit Log(LogLevel level);
  bool shows(LogLevel level) const noexcept { return level <= level_ && logger_ != nullptr; }
  // One message, in as many lines as it has. What cannot be written is lost.
  void write(const std::string& text) const noexcept;

 private:
  LogLevel level_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace evenkeel
