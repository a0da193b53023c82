#pragma once

// What a line of a journal says, as what a decision is made from. What is missing, or of another
// type, throws what nlohmann-json throws.

#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/state.hpp>

#include <nlohmann/json_fwd.hpp>

namespace evenkeel::tool {

// The same keys and values as in a state's own text; numbers keep theirs, and so their bits.
State state_of(const nlohmann::json& from);
Tally tally_of(const nlohmann::json& from);
Totals totals_of(const nlohmann::json& from);

}  // namespace evenkeel::tool
