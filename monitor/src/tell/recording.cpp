#include "tell/recording.hpp"

namespace evenkeel {

namespace {

template <class Function>
void tell(const Function& function) {
  static_cast<void>(attempt("monitor", function));
}

}  // namespace

void Recording::perform_in_time(Watcher::Task task) {
  if (!watcher_.is_behind()) watcher_.offer(std::move(task));
}

void Recording::open(JournalHeader header) {
  recorder_ = std::make_unique<Recorder>(options_, std::move(header));
}

void Recording::start_from(const DecisionState& state, bool is_restored) {
  if (recorder_ == nullptr) return;
  perform([recorder = recorder_.get(), state, is_restored] {
    recorder->start_from(state, is_restored);
  });
}

void Recording::begin_line(const Look& look, const Names& names, const Metrics::SlowRank& slow) {
  if (recorder_ == nullptr) return;
  tell([&] {
    line_.emplace();
    line_->step = look.totals.step_greatest;
    line_->before = look.before;
    line_->totals = look.totals;
    line_->decision = look.verdict.decision;
    if (wants_pictures() && look.totals.names_agree()) line_->kernels = names;
    line_->picture = look.picture;
    line_->slow = slow;
  });
}

void Recording::begin_line(std::int64_t step, std::int64_t decided_at, const DecisionState& state,
                           Reason cause, const std::string& reason) {
  if (recorder_ == nullptr) return;
  tell([&] {
    line_.emplace();
    line_->step = step;
    line_->before = state;
    line_->decision = {Action::rebalance, cause};
    line_->reason = reason;
    if (decided_at != step) line_->decided_at = decided_at;
  });
}

void Recording::add_outcome(std::int64_t step, RebalanceKind kind, const Outcome& outcome,
                            const CostTable& costs) {
  if (!line_) return;
  line_->taken_at = step;
  line_->kind = kind;
  tell([&] { line_->outcome = outcome; });
  tell([&] { line_->costs = costs; });
}

void Recording::begin(const Names& kernels) {
  if (has_begun_) return;
  perform([recorder = recorder_.get(), kernels] { recorder->begin(kernels); });
  has_begun_ = true;
}

void Recording::end_line(const Names& kernels, bool waits) {
  if (!line_) return;
  line_->waits = waits;
  if (options_.wants(line_->decision.action))
    tell([&] {
      begin(kernels);
      if (watcher_.is_behind()) return leave_out_line();
      perform([recorder = recorder_.get(), line = std::move(*line_)]() mutable {
        recorder->add(std::move(line));
      });
    });
  line_.reset();
}

void Recording::leave_out_line() {
  if (has_left_out_lines_) return;
  perform([recorder = recorder_.get(), step = line_->step] { recorder->leave_out_lines(step); });
  has_left_out_lines_ = true;
}

void Recording::warn(const std::string& text) {
  if (recorder_ == nullptr) return;
  tell([&] { perform([recorder = recorder_.get(), text] { recorder->warn(text); }); });
}

void Recording::note(const std::string& text) {
  if (recorder_ == nullptr) return;
  tell([&] { perform([recorder = recorder_.get(), text] { recorder->tell(text); }); });
}

Command Recording::take_command() {
  if (recorder_ == nullptr) return Command::none;
  const Command command = recorder_->take_command();
  if (!options_.control.empty())
    tell([&] { perform_in_time([recorder = recorder_.get()] { recorder->listen(); }); });
  return command;
}

void Recording::finish(const Summary& run, const Names& kernels) {
  end_line(kernels);
  if (recorder_ != nullptr) {
    begin(kernels);
    perform([recorder = recorder_.get(), run] { recorder->finish(run); });
  }
  watcher_.finish();
  recorder_.reset();
}

void Recording::give_up(std::int64_t step, const Names& kernels) noexcept {
  if (recorder_ == nullptr) return;
  try {
    end_line(kernels);
    watcher_.finish();
    if (std::uncaught_exceptions() == uncaught_before_) recorder_->give_up(step);
  } catch (...) {  // without memory, nothing is reported
  }
}

}  // namespace evenkeel
