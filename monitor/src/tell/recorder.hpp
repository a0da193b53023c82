#pragma once

// What rank 0 records and reports of a run (the journal, the log, the summary, the saved state),
// and the commands that it reads from the control file. All but take_command() happens in the
// watcher's tasks.

#include "tell/control_desk.hpp"
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
  std::string name = {};  // of the Balancer

  // Whether lines of the journal show single ranks.
  bool wants_pictures() const noexcept { return !journal.empty() || !control.empty(); }
};

class Recorder {
 public:
  // Opens the journal: an Error where it cannot be written. Tells if the state cannot.
  Recorder(RecordOptions options, JournalHeader header);

  // Before begin(): the run starts with this, which may come from an earlier one.
  void start_from(const State& state, bool is_restored);

  // Once, before the first line: the header, with the kernels that are known by then.
  void begin(const std::vector<std::string>& kernels);
  // Puts the reason of a look into words, if somebody will read it.
  void add(JournalLine line);
  void warn(const std::string& text) const;

  // Reads the control file; take_command() returns its commands from then on, one at a time: that
  // of pause and resume which came last, then a rebalance.
  void listen();
  Command take_command() noexcept;

  // The summary, and the saved state.
  void finish(const Summary& run);
  // Says that the run ends without finish(), after so many steps.
  void give_up(std::int64_t step);

 private:
  void write(const std::string& line);
  void obey(const std::string& said);
  void tell(const std::string& text, LogLevel level = LogLevel::decisions) const;
  void start_journal(const std::string& path);
  void note_full_journal();

  RecordOptions options_;
  JournalHeader header_;
  Log log_;
  std::unique_ptr<Journal> journal_;
  // While a journal can still be asked for: its last lines, without the header.
  static constexpr std::size_t most_kept = 1000;
  std::string header_line_;
  std::deque<std::string> kept_;
  std::optional<ControlReader> control_;
  std::atomic<unsigned> commands_ = 0;  // a bit for each that waits
  bool began_ = false;
};

}  // namespace evenkeel
