#pragma once

// What rank 0 records and reports of a run (the journal, the log, the summary, the saved state),
// and the commands that it reads from the control file. All but take_command() happens in the
// watcher's tasks.

#include "tell/control_file.hpp"
#include "tell/journal.hpp"
#include "tell/log.hpp"

#include <evenkeel/monitor/log_level.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

// What to log, and the files to work with; empty: none.
struct RecordOptions {
  LogLevel log = LogLevel::off;
  std::string journal = {}, state = {}, control = {};

  // Whether lines of the journal show single ranks.
  bool wants_pictures() const noexcept { return !journal.empty() || !control.empty(); }
};

class Recorder {
 public:
  // Opens the journal: an Error where it cannot be written.
  Recorder(RecordOptions options, JournalHeader header);

  // Before begin(): the run starts with this, which may come from an earlier one.
  void start_from(const State& state, bool is_restored);

  // Once, before the first line: the header, with the kernels that are known by then.
  void begin(const std::vector<std::string>& kernels);
  // Puts the reason of a look into words, if somebody will read it.
  void add(JournalLine line);

  // Reads the control file; take_command() returns its command from then on.
  void listen();
  Command take_command() noexcept { return command_.exchange(Command::none); }

  // The summary, and the saved state.
  void finish(const Summary& run);

 private:
  void write(const std::string& line);
  void obey(const std::string& said);
  void tell(const std::string& text) const;
  void start_journal(const std::string& path);

  RecordOptions options_;
  JournalHeader header_;
  Log log_;
  std::unique_ptr<Journal> journal_;
  // While a journal can still be asked for: its last lines, without the header.
  static constexpr std::size_t most_kept = 1000;
  std::string header_line_;
  std::deque<std::string> kept_;
  std::optional<ControlFile> control_;
  std::atomic<Command> command_ = Command::none;
  bool began_ = false;
};

}  // namespace evenkeel
