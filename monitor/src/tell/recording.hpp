#pragma once

// The record of a run has three parts: the recorder, which exists only on rank 0; the thread that
// performs its tasks; and the journal line of the last decision, which is incomplete until the
// outcome of the decision is known. If memory runs out, reports are lost, and the run continues.

#include "decide/looks.hpp"
#include "tell/recorder.hpp"
#include "tell/watcher.hpp"

#include <exception>

namespace evenkeel {

class Recording {
 public:
  using Names = std::vector<std::string>;  // of kernels

  Recording(RecordOptions options, bool has_thread)
      : options_(std::move(options)), watcher_(has_thread) {}

  // Call this on the rank that records, before the functions below. Throws an Error if the journal
  // cannot be written.
  void open(JournalHeader header);
  bool is_open() const noexcept { return recorder_ != nullptr; }
  bool wants_pictures() const noexcept { return options_.wants_pictures(); }
  // Performs a task in the thread, after all earlier ones. Leaves it out if the thread is far
  // behind.
  void perform_in_time(Watcher::Task task);

  // Sets the initial state of the run, which may come from an earlier run. Call this before the
  // first line.
  void start_from(const DecisionState& state, bool is_restored);
  // Begins the line of a look, or of a rebalance without a look.
  void begin_line(const Look& look, const Names& names, const Metrics::SlowRank& slow);
  void begin_line(std::int64_t step, std::int64_t decided_at, const DecisionState& state,
                  Reason cause, const std::string& reason);
  bool has_line() const noexcept { return line_.has_value(); }
  void add_outcome(std::int64_t step, RebalanceKind kind, const Outcome& outcome,
                   const CostTable& costs);
  // Gives the line to the recorder, if there is one. The first call writes the header with these
  // kernels. `waits` is true if the advice of the line is held for a later step. If the thread is
  // far behind, the line is left out, which log and journal say once.
  void end_line(const Names& kernels, bool waits = false);

  void warn(const std::string& text);
  void note(const std::string& text);
  // Returns a command that the recorder has already read, and makes it read the control file again.
  Command take_command();
  void finish(const Summary& run, const Names& kernels);
  // Call this if the run ends without finish(). Reports such an end, unless an exception is under
  // way, because the exception explains the end better.
  void give_up(std::int64_t step, const Names& kernels) noexcept;
  // Call this in a forked child instead. Touches no file, and no lock that was held when the child
  // was made.
  void abandon() noexcept { static_cast<void>(recorder_.release()); }

 private:
  void begin(const Names& kernels);
  void perform(Watcher::Task task) { watcher_.offer(std::move(task)); }
  void leave_out_line();

  RecordOptions options_;
  std::unique_ptr<Recorder> recorder_;  // null on other ranks
  std::optional<JournalLine> line_;
  bool has_begun_ = false, has_left_out_lines_ = false;
  int uncaught_before_ = std::uncaught_exceptions();
  Watcher watcher_;  // the last member, so that its thread ends before the members that it uses are
                     // destroyed
};

}  // namespace evenkeel
