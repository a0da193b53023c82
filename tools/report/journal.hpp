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

// An Error of bad input where not one line is of a journal.
Reading read_journal(const ByteSource& source, const Readers& readers, Progress progress = {});

}  // namespace evenkeel::tool::report
