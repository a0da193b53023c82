#pragma once

// Checks that all decompositions share, of their arguments and of queries. Each throws an Error of
// the given stage.

#include <evenkeel/core/domains/decomposition.hpp>

#include <span>

namespace evenkeel {

// Each rank must own one part; an empty list means that part p belongs to rank p.
void check_ranks(const char* stage, int parts, const std::vector<int>& rank_of_part);

void check_has_parts(const char* stage, int parts);
void check_part(const char* stage, int parts, int part);

// Checks a point whose owner is asked for, and that there are owners.
void check_point(const char* stage, const Decomposition& domains, std::span<const double> point);

// Checks a box whose halo is asked for, and that there are owners. Axes beyond the dimensions have
// no meaning.
void check_halo(const char* stage, const Decomposition& domains, const Box& box, double width);
void check_width(const char* stage, double width);

// Throws an Error: the parts of a graph own objects, and a question about places has no answer.
[[noreturn]] EVENKEEL_API void refuse_places(const char* stage);

// Sorts the ranks and removes duplicates.
void make_ascending(std::vector<int>& ranks);

}  // namespace evenkeel
