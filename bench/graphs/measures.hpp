#pragma once

// The quality of parts of a graph: their cut, their lambda, and the weight that must move to reach
// them.

#include "graph.hpp"

namespace evenkeel::bench::graphs {

// The weight of the edges between parts. If `edge_weights` is empty, all are 1.
std::int64_t cut_of(const Graph& graph, std::span<const std::int64_t> edge_weights,
                    std::span<const int> parts);

// The sum over vertices of the number of other parts next to a vertex.
std::int64_t volume_of(const Graph& graph, std::span<const int> parts, int count);

// The weight of each part. If `weights` is empty, all are 1. Ends the program if a part is not in
// [0, count).
std::vector<std::int64_t> loads_of(std::span<const std::int64_t> weights,
                                   std::span<const int> parts, int count);

double lambda_of(std::span<const std::int64_t> loads);  // the heaviest over the average

// The share of the total weight that exceeds `lambda` times the average in any part. At least this
// share must move.
double excess_of(std::span<const std::int64_t> loads, double lambda);

int parts_without(std::span<const std::int64_t> weights_or_counts);

// The share of the weight, or with empty `weights` of the vertices, that changes parts.
double moved_share(std::span<const std::int64_t> weights, std::span<const int> before,
                   std::span<const int> after);

// Renames new parts so that much weight stays in its part. Pairs old and new parts in the order of
// the weight that they share, the greatest first; a pair counts only if neither has a partner yet.
std::vector<int> relabelled(std::span<const std::int64_t> weights, std::span<const int> before,
                            std::span<const int> after, int count);

}  // namespace evenkeel::bench::graphs
