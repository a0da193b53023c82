#pragma once

// First parts of a model, from which the search for a power diagram begins.

#include "domains/power/model.hpp"

namespace evenkeel {

// Both return the part of each point, with a part for each speed. Masses of parts are nearly
// proportional to their speeds. If there are at least as many points as parts, no part is empty.
std::vector<int> parts_along_curve(const PowerModel& model, std::span<const double> speeds);
std::vector<int> parts_by_bisection(const PowerModel& model, std::span<const double> speeds);

}  // namespace evenkeel
