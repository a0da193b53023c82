#pragma once

// Finds the cut whose greatest weight / speed of a part is as small as possible, over all ranks. A
// known cut gives a window for each place of a better cut: the range in which the weight before
// that place must be.
// Rank 0 gathers the keys in these windows as the items of a chain, with each gap between windows
// as one item, and cuts this chain.

#include "cut/search.hpp"

namespace evenkeel {

// Collective. `known` has the places of any cut, one less than there are parts. `search` must have
// weighed the objects; `total` is their weight. If `speeds` is empty, all parts are equally fast.
std::vector<Search::Place> find_optimal(const Communicator& communicator, CutObjects& objects,
                                        Search& search, std::span<const Search::Place> known,
                                        std::int64_t total, std::span<const double> speeds);

}  // namespace evenkeel
