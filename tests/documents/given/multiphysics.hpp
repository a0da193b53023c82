#pragma once

// Declares what the fragments of docs/multiphysics.md use: cells of two solvers.

#include "any_page.hpp"

extern std::vector<std::array<double, 3>> x;
extern std::vector<std::array<int, 2>> solvers;
extern std::vector<double> flow, sound, integral, mean_heat;
inline constexpr int flow_solver = 0, sound_solver = 1;
