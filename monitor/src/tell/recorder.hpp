#pragma once

// Records and reports a run on rank 0 (the journal, the log, the summary, the saved state), and
// reads commands from the control file. All functions except take_command() are called in the
// watcher's tasks.

#include "tell/control_desk.hpp"
#include "tell/log.hpp"

#include <atomic>
#include <deque>

namespace evenkeel {

// The level of the log, and the paths of the files, which may be empty.
struct RecordOptions {
  LogLevel log = LogLevel::off;
  std::string journal = {}, state = {}, control = {};
  std::string name = {};  // of the Balancer

  // True if lines of the journal show single ranks.
  bool wants_pictures() const noexcept { return !journal.empty() || !control.empty(); }
  // True if a line with this action is written or logged.
  bool wants(Action action) const noexcept {
    return wants_pictures() ||
           log >= (action == Action::rebalance ? LogLevel::decisions : LogLevel::looks);
  }
};

class Recorder {
 public:
  // Opens the journal; throws an Error if it cannot be written. If the state cannot be written,
  // only logs a warning.
  Recorder(RecordOptions options, JournalHeader header);

  // Sets the initial state of the run, which may come from an earlier run. Call this before
  // begin().
  void start_from(const DecisionState& state, bool is_restored);

  // Writes the header, with the kernels known so far. Call this once, before the first line.
  void begin(const std::vector<std::string>& kernels);
  // Adds a line. The text of a look's reason is made only if the line is written or logged.
  void add(JournalLine line);
  // Says that there are too many lines to write all of them. Call this instead of add(), once.
  void leave_out_lines(std::int64_t step);
  void warn(const std::string& text) const;
  void tell(const std::string& text, LogLevel level = LogLevel::decisions) const;

  // Reads the control file. Later calls of take_command() return the commands one at a time: first
  // the latest of pause and resume, then a rebalance.
  void listen();
  Command take_command() noexcept;

  // Writes the summary and the saved state.
  void finish(const Summary& run);
  // Reports that the run ends after `step` without finish().
  void give_up(std::int64_t step);

 private:
  void write(const std::string& line);
  void obey(const std::string& said);
  void start_journal(const std::string& path);
  void note_full_journal();

  RecordOptions options_;
  JournalHeader header_;
  Log log_;
  std::unique_ptr<Journal> journal_;
  // The header and the last lines, in case a command asks for a journal later.
  static constexpr std::size_t most_kept = 1000;
  std::string header_line_;
  std::deque<std::string> kept_;
  std::optional<ControlReader> control_;
  std::atomic<unsigned> commands_ = 0;  // a bit for each waiting command
  bool began_ = false;
};

}  // namespace evenkeel
