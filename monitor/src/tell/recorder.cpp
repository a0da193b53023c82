#include "tell/recorder.hpp"

#include "tell/saved_state.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <sstream>
#include <utility>

namespace evenkeel {

Recorder::Recorder(RecordOptions options, JournalHeader header)
    : options_(std::move(options)), header_(std::move(header)), log_(options_.log) {
  if (!options_.journal.empty()) journal_ = std::make_unique<Journal>(options_.journal);
  if (!options_.control.empty()) control_.emplace(options_.control);
}

void Recorder::start_from(const State& state, bool is_restored) {
  header_.state = state;
  header_.restored = header_.restored || is_restored;
}

void Recorder::begin(const std::vector<std::string>& kernels) {
  began_ = true;
  header_.kernels = kernels;
  header_line_ = to_json(header_);
  if (journal_ != nullptr) journal_->write(header_line_);
}

// A line for the journal, or for one that may still be asked for.
void Recorder::write(const std::string& line) {
  if (journal_ != nullptr) return journal_->write(line);
  kept_.push_back(line);
  if (kept_.size() > most_kept) kept_.pop_front();
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

void Recorder::listen() {
  if (!control_) return;
  const auto said = control_->take();
  if (!said) return;
  std::istringstream lines(*said);
  for (std::string line; std::getline(lines, line);) obey(line);
}

void Recorder::tell(const std::string& text) const {
  if (log_.shows(LogLevel::decisions)) log_.write(text);
}

void Recorder::obey(const std::string& said) {
  constexpr std::string_view journal_word = "journal ";
  if (const auto command = command_from_text(said)) {
    command_ = *command;
    tell("told to " + said);
  } else if (said.starts_with(journal_word)) {
    start_journal(said.substr(journal_word.size()));
  } else {
    tell(in_quotes(said) +
         " is not a command: give pause, resume, rebalance, or journal and a path");
  }
}

void Recorder::start_journal(const std::string& path) {
  try {
    auto journal = std::make_unique<Journal>(path);
    if (began_) journal->write(header_line_);
    for (const std::string& line : kept_) journal->write(line);
    kept_.clear();
    journal_ = std::move(journal);
    tell("the journal is in " + in_quotes(path));
  } catch (const Error& error) {
    tell(error.problem() + ' ' + error.remedy());
  }
}

void Recorder::finish(const Summary& run) {
  if (log_.shows(LogLevel::summary)) log_.write(summary_of(run));
  const std::string& path = options_.state;
  if (!path.empty() && !write_saved(path, saved_text(run.state, header_.ranks)))
    log_.write("the state cannot be written to " + in_quotes(path));
}

}  // namespace evenkeel
