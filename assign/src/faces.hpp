#pragma once

// Finds the neighbours of blocks, and orders that keep neighbours near each other.

#include "problem.hpp"

namespace evenkeel::assigning {

// Set the graph of the problem and its near_order from the place.
// The numbers of the blocks, ascending.
std::vector<int> input_order(int blocks);

void set_place(Problem& problem, const BlockOrder& order);
void set_place(Problem& problem, const BlockCentres& centres);
void set_place(Problem& problem, const BlockEdges& edges);

}  // namespace evenkeel::assigning
