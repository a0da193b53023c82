#pragma once

// What parts of a graph are worth: their cut, how even they are, and how far they are from others.

#include "graph.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::bench::graphs {

// Weight of the edges between parts; empty `edge_weights`: all 1.
std::int64_t cut_of(const Graph& graph, std::span<const std::int64_t> edge_weights,
                    std::span<const int> parts);

// Summed over vertices: the number of other parts next to a vertex.
std::int64_t volume_of(const Graph& graph, std::span<const int> parts, int count);

// Weight of each part; empty `weights`: all 1. Fails where a part does not exist.
std::vector<std::int64_t> loads_of(std::span<const std::int64_t> weights,
                                   std::span<const int> parts, int count);

double lambda_of(std::span<const std::int64_t> loads);  // the heaviest over the average

// The share of the weight by which parts exceed `lambda` times the average: so much must move.
double excess_of(std::span<const std::int64_t> loads, double lambda);

int parts_without(std::span<const std::int64_t> weights_or_counts);

// The share of the weight, or with empty `weights` of the vertices, that changes parts.
double moved_share(std::span<const std::int64_t> weights, std::span<const int> before,
                   std::span<const int> after);

// Renames new parts so that much weight stays where it was: pairs of an old and a new part by the
// weight they share, the greatest first, as long as both have no partner yet.
std::vector<int> relabelled(std::span<const std::int64_t> weights, std::span<const int> before,
                            std::span<const int> after, int count);

}  // namespace evenkeel::bench::graphs
