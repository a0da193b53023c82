#pragma once

// What all cuts into boxes check and report.

#include "grid/sections.hpp"

#include <evenkeel/core/grid/cut.hpp>

#include <span>
#include <string>

namespace evenkeel {

inline constexpr const char* grid_stage = "core/grid";
[[noreturn]] void refuse_grid(const std::string& problem, const std::string& remedy);

void check_speeds(std::span<const double> speeds, int parts);
void check_box_cut(const BoxCutOptions& options, int parts, int dimensions);
void check_points(std::span<const WeightedPoints> points, int dimensions);

// What the sections have counted: the groups are the parts.
void finish(BoxCut& cut, const Sections& sections, const Survey& all);

}  // namespace evenkeel
