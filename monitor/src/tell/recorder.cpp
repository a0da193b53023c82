#include "tell/recorder.hpp"

#include "tell/saved_state.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/backends/words.hpp>

namespace evenkeel {

namespace {

constexpr unsigned bit_of(Command command) noexcept { return 1U << static_cast<unsigned>(command); }

// Adds a command to the waiting commands. A pause replaces a resume, and a resume replaces a pause.
constexpr unsigned with(unsigned waiting, Command command) noexcept {
  constexpr unsigned either = bit_of(Command::pause) | bit_of(Command::resume);
  if ((bit_of(command) & either) != 0) waiting &= ~either;
  return waiting | bit_of(command);
}

}  // namespace

Recorder::Recorder(RecordOptions options, JournalHeader header)
    : options_(std::move(options)), header_(std::move(header)), log_(options_.log, options_.name) {
  if (!options_.journal.empty()) journal_ = std::make_unique<Journal>(options_.journal);
  if (!options_.control.empty()) control_.emplace(options_.control, options_.name);
  const std::string reason =
      options_.state.empty() ? std::string() : unwritable_reason(options_.state);
  if (!reason.empty())
    tell("the state cannot be written to " + in_quotes(options_.state) + ": " + reason +
             "; what this run learns will be lost",
         LogLevel::summary);
}

void Recorder::start_from(const DecisionState& state, bool is_restored) {
  header_.state = state;
  header_.restored = header_.restored || is_restored;
}

void Recorder::begin(const std::vector<std::string>& kernels) {
  began_ = true;
  header_.kernels = kernels;
  header_line_ = to_json(header_);
  if (journal_ == nullptr) return;
  journal_->write(header_line_);
  if (journal_->failed()) note_full_journal();
}

// Writes a line to the journal. Without a journal, keeps the line, since a command may ask for one.
void Recorder::write(const std::string& line) {
  if (journal_ != nullptr) {
    journal_->write(line);
    if (!journal_->failed()) return;
    note_full_journal();
  }
  if (!control_) return;
  kept_.push_back(line);
  if (kept_.size() > most_kept) kept_.pop_front();
}

void Recorder::note_full_journal() {
  tell("the journal " + in_quotes(journal_->path()) +
           " ends here: " + detail::reason_of(journal_->error_number()) + "; the run continues",
       LogLevel::summary);
  journal_.reset();
}

void Recorder::add(JournalLine line) {
  const bool acts = line.decision.action == Action::rebalance;
  const bool is_written = journal_ != nullptr || control_;
  const bool is_told = log_.shows(acts ? LogLevel::decisions : LogLevel::looks);
  if (line.totals && (is_written || is_told))
    line.reason = explain(line.before, *line.totals, line.decision);
  if (is_written) write(to_json(line));
  if (is_told) log_.write(log_line(line));
}

void Recorder::leave_out_lines(std::int64_t step) {
  if (journal_ != nullptr || control_) write(left_out_line(step));
  tell("from step " + detail::count_of(step) +
           " on lines are left out, since looks come faster than they can be written; fewer looks, "
           "by a greater epoch_steps, need fewer lines",
       LogLevel::summary);
}

void Recorder::warn(const std::string& text) const {
  if (log_.shows(LogLevel::summary)) log_.warn(text);
}

void Recorder::listen() {
  if (!control_) return;
  const ControlText said = control_->listen();
  if (!said.problem.empty()) tell(said.problem, LogLevel::summary);
  for (const std::string& line : said.lines) obey(line);
}

Command Recorder::take_command() noexcept {
  for (const Command command : {Command::pause, Command::resume, Command::rebalance})
    if ((commands_.fetch_and(~bit_of(command)) & bit_of(command)) != 0) return command;
  return Command::none;
}

void Recorder::tell(const std::string& text, LogLevel level) const {
  if (log_.shows(level)) log_.write(text);
}

void Recorder::obey(const std::string& said) {
  if (const auto command = command_from_text(said)) {
    unsigned waiting = commands_.load();
    while (!commands_.compare_exchange_weak(waiting, with(waiting, *command))) continue;
    tell("received the command " + said);
  } else if (said.starts_with(journal_command)) {
    start_journal(said.substr(journal_command.size()));
  }
}

// Refuses an existing file, and a file that this run uses.
void Recorder::start_journal(const std::string& path) {
  try {
    for (const std::string& other : {options_.state, options_.control, options_.journal})
      if (detail::lead_to_one_file(path, other))
        throw Error(ErrorKind::bad_input, Where{"monitor/journal"},
                    "The journal " + in_quotes(path) + " would be the file " + in_quotes(other) +
                        ", which this run uses.",
                    "Name a file of its own.");
    auto journal = std::make_unique<Journal>(path, Journal::OpenMode::anew);
    if (began_) journal->write(header_line_);
    for (const std::string& line : kept_) journal->write(line);
    kept_.clear();
    journal_ = std::move(journal);
    tell("the journal is in " + in_quotes(path));
    if (journal_->failed()) note_full_journal();
  } catch (const Error& error) {
    tell(error.problem() + ' ' + error.remedy(), LogLevel::summary);
  }
}

void Recorder::finish(const Summary& run) {
  const std::string summary = summary_of(run);
  const std::int64_t step = run.state.began_at + run.steps;
  if (journal_ != nullptr) write(to_json(JournalFinish{step, run.state, run.account, summary}));
  if (log_.shows(LogLevel::summary)) log_.write(summary);
  if (options_.state.empty()) return;
  const std::string reason =
      write_saved(options_.state, saved_text(run.state, header_.ranks, step, run.costs));
  if (!reason.empty())
    tell("the state cannot be written to " + in_quotes(options_.state) + ": " + reason,
         LogLevel::summary);
}

void Recorder::give_up(std::int64_t step) {
  if (journal_ != nullptr) journal_->write(unfinished_line(step));
  tell("this run ends after step " + std::to_string(step) + " without finish(): it has no summary" +
           (options_.state.empty() ? "" : ", and what it has learned is not saved"),
       LogLevel::summary);
}

}  // namespace evenkeel
