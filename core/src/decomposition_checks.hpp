#pragma once

// What all decompositions ask of their makers and of those who ask them. Each throws an Error of
// the given stage.

#include <evenkeel/core/box.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Each rank owns one part; none named: part p is of rank p.
void check_ranks(const char* stage, int parts, const std::vector<int>& rank_of_part);

void check_has_parts(const char* stage, int parts);
void check_part(const char* stage, int parts, int part);

// Of a point whose owner is asked for.
void check_point(const char* stage, int dimensions, std::span<const double> point);

// Of a box whose halo is asked for. Its axes beyond the dimensions have no meaning.
void check_halo(const char* stage, int dimensions, const Box& box, double width);

// In ascending order, each once.
void make_ascending(std::vector<int>& ranks);

}  // namespace evenkeel
