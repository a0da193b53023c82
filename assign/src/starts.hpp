#pragma once

// Maps from which a search starts.

#include "problem.hpp"

namespace evenkeel::assigning {

// Cuts the blocks, in the given order, into consecutive parts of which the greatest load / speed is
// least, to 2^-12 of the average or the rounding of a load. Loads are sums over phases. Keeps caps
// if it can, and ignores them if it cannot.
std::vector<int> chain(const Problem& problem, const std::vector<int>& order);

// Gives each block, the heaviest first, to the rank that has the least load after it and has room
// (longest processing time first). A block for which no rank has room goes to the rank with the
// least load. `by_bytes` takes the block with the most bytes first.
std::vector<int> heaviest_first(const Problem& problem, bool by_bytes);

// The present map, with new blocks on the rank of a neighbour if that is below its share, or else
// on the rank with the least load. A rank with more than twice the load of `lambda` gives up its
// last blocks as if they were new.
std::vector<int> present_map(const Problem& problem, double lambda);

}  // namespace evenkeel::assigning
