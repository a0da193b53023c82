#pragma once

// Checks and reports that all cuts into boxes share.

#include "boxes/from_objects/sections.hpp"

#include <evenkeel/core/boxes/cut.hpp>

#include <span>
#include <string>

namespace evenkeel {

inline constexpr const char* grid_stage = "core/boxes";
[[noreturn]] void refuse_grid(const std::string& problem, const std::string& remedy);

void check_speeds(std::span<const double> speeds, int parts);
void check_box_cut(const BoxCutOptions& options, int parts, int dimensions);
void check_points(std::span<const WeightedPoints> points, int dimensions);

// Collective. Reports what the sections have counted; the weights of the parts are set already.
void finish(BoxCut& cut, const Sections& sections, const Census& all);

}  // namespace evenkeel
