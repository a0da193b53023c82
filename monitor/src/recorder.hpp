#pragma once

// What rank 0 keeps of a run and tells about it: the journal, the log, the summary, the state that
// is saved; and what it is told by the control file. All of it but take_command() happens in the
// watcher's tasks.

#include "control_file.hpp"
#include "log.hpp"

#include <evenkeel/monitor/journal.hpp>
#include <evenkeel/monitor/options.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

class Recorder {
 public:
  // Opens the journal: an Error where it cannot be written.
  explicit Recorder(JournalHeader header);

  // Whether lines are to show single ranks.
  static bool wants_pictures(const Options& options) noexcept;

  // Before begin(): the run starts with this, which may come from an earlier one.
  void start_from(const State& state, bool is_restored);

  // Once, before the first line: the header, with the kernels that are known by then.
  void begin(const std::vector<std::string>& kernels);
  // A look's reason in words is found here, where somebody reads it.
  void add(JournalLine line);

  // Reads what was said from outside; take_command() has it from then on.
  void listen();
  Command take_command() noexcept { return command_.exchange(Command::none); }

  // The summary, and the saved state.
  void finish(const Summary& run);

 private:
  void write(const std::string& line);
  void obey(const std::string& said);
  void tell(const std::string& text) const;
  void start_journal(const std::string& path);

  JournalHeader header_;
  Log log_;
  std::unique_ptr<Journal> journal_;
  // Where a journal can still be asked for: its last lines, the header apart.
  static constexpr std::size_t most_kept = 1000;
  std::string header_line_;
  std::deque<std::string> kept_;
  std::optional<ControlFile> control_;
  std::atomic<Command> command_ = Command::none;
  bool began_ = false;
};

}  // namespace evenkeel
