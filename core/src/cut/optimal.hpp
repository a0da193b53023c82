#pragma once

// Finds the cut whose heaviest part is as light as possible, over all ranks. A known cut limits
// where the places of a better cut can be: each is in a window of weights. Rank 0 gathers the keys
// in these windows, with each gap between windows as a single item, and cuts that chain.

#include "cut/search.hpp"

namespace evenkeel {

// Collective. `known` has the places of any cut, one less than there are parts. `search` must have
// weighed the objects; `total` is their weight.
std::vector<Search::Place> find_optimal(const Communicator& communicator, CutObjects& objects,
                                        Search& search, std::span<const Search::Place> known,
                                        std::int64_t total);

}  // namespace evenkeel
