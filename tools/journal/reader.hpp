#pragma once

// Reads a journal line by line, from a file or while it grows.

#include "files/lines.hpp"
#include "journal/line.hpp"

#include <utility>

namespace evenkeel::tool {

struct BrokenLine {
  std::int64_t line = 0;  // from 1 on
  std::string reason;
};

// The parts of the journal that could be read, and those that could not.
struct Reading {
  std::int64_t lines = 0;         // lines that are whole
  std::int64_t broken = 0;        // those of them that cannot be understood
  std::vector<BrokenLine> first;  // the first few broken lines
  bool is_cut_off = false;        // the last line has no end, and is left out
  bool is_finished = false;       // the last line is that of a run that ended with finish()
  bool is_unfinished = false;     // the run says that it ended without finish()
  std::optional<std::int64_t> left_out_from;  // the step from which on the run has left out lines
};

// The place of a line in a journal, for messages. The name must outlive this object.
struct JournalPlace {
  const std::string& name;
  std::int64_t line;

  std::string text() const;
};

struct JournalHandlers {
  std::function<void(const JournalHeader&)> start;
  std::function<void(const JournalPlace&, const JournalLine&)> line;
  std::function<void(const JournalFinish&)> finish = [](const JournalFinish&) {};
};

// Takes the lines of a journal one by one, as they come. If a line cannot be understood, an exact
// reader throws an Error; a tolerant one counts the line and leaves it out.
class LineTaker {
 public:
  LineTaker(std::string name, Care care, JournalHandlers handlers)
      : name_(std::move(name)), care_(care), handlers_(std::move(handlers)) {}

  void take(std::string_view line);  // without its end

  bool has_understood() const noexcept { return understood_ > 0; }
  const Reading& reading() const noexcept { return reading_; }

 private:
  AnyLine understood(std::string_view text) const;
  void note_broken(std::string reason);

  std::string name_;
  Care care_;
  JournalHandlers handlers_;
  Reading reading_;
  std::int64_t understood_ = 0;
  std::int64_t last_look_ = 0, last_rebalance_ = 0;  // steps of the last line of each kind
};

// Throws an Error of bad input if no line of the file belongs to a journal.
Reading read_journal(const ByteSource& source, Care care, JournalHandlers handlers,
                     Progress progress = {});

// "of evenkeel 1.2.3, on 4 ranks".
std::string name_of_journal(const std::string& version, std::int64_t ranks, const Reading& reading);

}  // namespace evenkeel::tool
