#pragma once

// Declares the names that the fragments of docs/assign.md use.

#include <evenkeel/assign.hpp>

#include <vector>

namespace ek = evenkeel;

extern const std::vector<double> costs, centres, bytes;
extern const std::vector<int> present;
void use(const std::vector<int>& map);
