#pragma once

// A range of a curve as boxes.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/curve.hpp>

#include <vector>

namespace evenkeel {

// They share no place, and end at the faces of the box of all domains.
std::vector<Box> boxes_on_curve(const CurveDomains& domains, int part);

}  // namespace evenkeel
