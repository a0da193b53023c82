#pragma once

// Checks of arguments for all types of domains. If a check fails, it throws an Error that names the
// given stage.

#include <evenkeel/core/domains/decomposition.hpp>

#include <span>

namespace evenkeel {

// Each rank must own one part; an empty list means that part p belongs to rank p.
void check_ranks(const char* stage, int parts, const std::vector<int>& rank_of_part);

void check_has_parts(const char* stage, int parts);
void check_part(const char* stage, int parts, int part);

// Checks a point whose owner is asked for, and that the domains have owners.
void check_point(const char* stage, const Decomposition& domains, std::span<const double> point);

// Checks a box and the width of a halo around it, and that the domains have owners. Ignores axes
// beyond the dimensions.
void check_halo(const char* stage, const Decomposition& domains, const Box& box, double width);
void check_width(const char* stage, double width);

// Throws an Error that says that these domains are parts of a graph, which own objects and no
// places.
[[noreturn]] EVENKEEL_API void refuse_places(const char* stage);

// Sorts the ranks and removes duplicates.
void make_ascending(std::vector<int>& ranks);

}  // namespace evenkeel
