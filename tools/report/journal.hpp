#pragma once

// Reads a journal for a report, line by line. A line that cannot be understood is counted and left
// out: a report tells of what is there.

#include "files/byte_source.hpp"
#include "files/lines.hpp"
#include "report/look.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::tool::report {

struct BrokenLine {
  std::int64_t line = 0;  // from 1 on
  std::string reason;
};

// How much of the journal could be read.
struct Reading {
  std::int64_t lines = 0;         // that are whole
  std::int64_t broken = 0;        // of them
  std::vector<BrokenLine> first;  // the first few of these
  bool is_cut_off = false;        // the last line has no end, and is left out
  bool is_finished = false;       // the last line has the books of the whole run
  bool is_unfinished = false;     // the run says that it ended without finish()
};

struct Readers {
  std::function<void(const Start&)> start;
  std::function<void(const Look&)> look;
  std::function<void(const Finish&)> finish;
};

// Takes the lines of a journal one by one, as they come.
class LineTaker {
 public:
  explicit LineTaker(Readers readers) : readers_(std::move(readers)) {}

  void take(std::string_view line);  // without its end

  bool has_understood() const noexcept { return understood_ > 0; }
  const Reading& reading() const noexcept { return reading_; }

 private:
  void take_known(std::string_view line);
  void take_look(const Look& look);
  void note_broken(std::string reason);

  Readers readers_;
  Reading reading_;
  std::int64_t understood_ = 0, last_step_ = 0;
};

// An Error of bad input where not one line is of a journal.
Reading read_journal(const ByteSource& source, const Readers& readers, Progress progress = {});

}  // namespace evenkeel::tool::report
