#pragma once

// First parts of a model, from which the search for a power diagram begins.

#include "domains/power/model.hpp"

namespace evenkeel {

// Both return the part of each point. Parts have nearly equal masses. If there are at least as
// many points as parts, no part is empty.
std::vector<int> parts_along_curve(const PowerModel& model, std::size_t parts);
std::vector<int> parts_by_bisection(const PowerModel& model, std::size_t parts);

}  // namespace evenkeel
