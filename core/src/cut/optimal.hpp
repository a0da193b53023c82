#pragma once

// The cut whose heaviest part is as light as possible, over all ranks. Any cut that is as good as a
// known one has its places in windows that follow from the known cut. Rank 0 gets the keys in these
// windows, with each gap between them as a single item, and cuts that chain.

#include "cut/search.hpp"

namespace evenkeel {

// Collective. `known` are the places of any cut into parts, one fewer than there are parts. `total`
// is the weight of all objects that `search` has found.
std::vector<Search::Place> find_optimal(const Communicator& communicator, CutObjects& objects,
                                        Search& search, std::span<const Search::Place> known,
                                        std::int64_t total);

}  // namespace evenkeel
