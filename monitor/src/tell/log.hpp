#pragma once

// The log for people: rank 0 writes a line for each decision, and a summary at the end, through
// spdlog. If the application has registered a logger with the name "evenkeel", that logger gets the
// lines; otherwise they go to stderr.

#include "tell/journal.hpp"

#include <evenkeel/monitor/metrics.hpp>

namespace spdlog {
class logger;
}

namespace evenkeel {

// The line for a look, or for a rebalance without one. Pure.
std::string log_line(const JournalLine& line);

// The calls of a loan so far. Seconds are those that lending has saved, less what it took, and
// those that perfectly even work would have saved in all calls.
struct LoanRecord {
  std::string name;
  std::int64_t calls = 0, lent = 0;
  double saved = 0, possible = 0;
};

// The data of the summary. The summary describes a whole run in a few lines for users.
struct Summary {
  DecisionState state;  // the last one
  Account account;
  std::int64_t steps = 0;
  int ranks = 1;
  bool is_deterministic = false;
  bool moves = true;           // false if the run has only given advice
  std::int64_t advices = 0;    // rebalances that a run with only advice would have made
  CostTable costs = {};        // learned costs of types and features
  bool guesses_costs = false;  // true if cuts do not help because the guessed costs of objects are
                               // wrong
  std::vector<LoanRecord> loans = {};
  std::array<std::vector<std::string>, kernel_phases> kernels = {};  // of each phase, on rank 0
};

// The advice to users if cuts do not help because the application has not given costs of objects.
extern const char* const advice_on_costs;

EVENKEEL_API std::string summary_of(const Summary& run);

// A line for each type and feature; empty for an empty table. Pure.
std::string lines_of(const CostTable& costs);
// A line for a loan. Pure.
std::string line_of(const LoanRecord& loan);

class Log {
 public:
  // Each line begins with `name`, the name of the Balancer, unless it is empty.
  explicit Log(LogLevel level, std::string name = {});
  bool shows(LogLevel level) const noexcept { return level <= level_ && logger_ != nullptr; }
  // Writes one message of one or more lines. A message that cannot be written is lost.
  void write(const std::string& text) const noexcept;
  // Writes a warning, like write(), and flushes the logger.
  void warn(const std::string& text) const noexcept;

 private:
  void write(const std::string& text, int level) const noexcept;

  LogLevel level_;
  std::string name_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace evenkeel
