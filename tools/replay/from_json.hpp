#pragma once

// Turns a line of a journal into the data from which a decision is made. A value that is missing or
// has another type throws an exception of nlohmann-json.

#include "agree/epoch.hpp"
#include "decide/state.hpp"

#include <nlohmann/json_fwd.hpp>

namespace evenkeel::tool {

// The keys and values are those of a state's own text; the text of numbers is kept, and so their
// bits.
State state_of(const nlohmann::json& from);
Tally tally_of(const nlohmann::json& from);
Totals totals_of(const nlohmann::json& from);

}  // namespace evenkeel::tool
