#pragma once

// Reads a journal, line by line.

#include "files/byte_source.hpp"
#include "tell/record.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace evenkeel::tool {

// A line of a journal, for messages. The path must outlive it.
struct RecordPlace {
  const std::string& path;
  std::int64_t line;

  std::string text() const;
};

// Whether the application's own rule decided; such a rule has no text in the recorded state.
bool is_own(const RecordedLine& line);

// How a journal ends.
struct JournalEnd {
  bool is_cut_off = false;     // its last line is incomplete, and is ignored
  bool is_unfinished = false;  // the run ended without finish()
};

// An Error of bad input if the file is not a journal.
using LineVisitor = std::function<void(const RecordPlace&, const RecordedLine&)>;
// With all members of the line, as they are.
using WholeLineVisitor =
    std::function<void(const RecordPlace&, const RecordedLine&, const nlohmann::json&)>;
JournalEnd read_journal(const std::string& path,
                        const std::function<void(const RecordedStart&)>& start,
                        const WholeLineVisitor& line, const Progress& progress = {});
JournalEnd read_journal(const std::string& path,
                        const std::function<void(const RecordedStart&)>& start,
                        const LineVisitor& line, const Progress& progress = {});

std::string name_of_journal(const std::string& version, std::int64_t ranks, JournalEnd end);

}  // namespace evenkeel::tool
