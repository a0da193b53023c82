#pragma once

// Reads one line of a journal. It uses the lists of members that also serve to write the line.

#include "decide/state.hpp"
#include "observe/epoch.hpp"
#include "tell/journal.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string_view>
#include <variant>

namespace evenkeel::tool {

enum class Care {
  exact,    // reads the bits that were written; refuses a member that is missing or unknown
  tolerant  // reads to show: a member that is missing keeps its value, so that journals of other
            // versions are shown as far as possible; sums of two numbers do not overflow
};

// The last line of a run that has ended without finish().
struct JournalUnfinished {
  std::int64_t step = 0;
};

// From this step on, the run has left out lines.
struct JournalLeftOut {
  std::int64_t step = 0;
};

using AnyLine =
    std::variant<JournalHeader, JournalLine, JournalFinish, JournalUnfinished, JournalLeftOut>;

// Throws a std::exception that says why the text is not a line of a journal.
AnyLine line_from(std::string_view text, Care care);

// Both functions read a piece of a line with Care::exact.
DecisionState state_from(const nlohmann::json& from);
Totals totals_from(const nlohmann::json& from);

}  // namespace evenkeel::tool
