#pragma once

// Checks that all decompositions share, of their arguments and of queries. Each throws an Error of
// the given stage.

#include <evenkeel/core/box.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Each rank must own one part; an empty list means that part p belongs to rank p.
void check_ranks(const char* stage, int parts, const std::vector<int>& rank_of_part);

void check_has_parts(const char* stage, int parts);
void check_part(const char* stage, int parts, int part);

// Checks a point whose owner is asked for.
void check_point(const char* stage, int dimensions, std::span<const double> point);

// Checks a box whose halo is asked for. Its axes beyond the dimensions have no meaning.
void check_halo(const char* stage, int dimensions, const Box& box, double width);

// Throws an Error: the parts of a graph own objects, and a question about places has no answer.
[[noreturn]] void refuse_places(const char* stage);

// Sorts the ranks and removes duplicates.
void make_ascending(std::vector<int>& ranks);

}  // namespace evenkeel
