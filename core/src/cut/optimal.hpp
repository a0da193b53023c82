#pragma once

// The least heaviest part, over all ranks. Every cut that is as good as a known one has its places
// in windows that the known one tells; rank 0 gets the keys in them, with what lies between as
// single items, and cuts that chain.

#include "objects.hpp"
#include "search.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Collective. `known` are the places of any cut of the objects into parts, one fewer than those,
// and `total` is the weight of all, as `search` has found it.
std::vector<Search::Place> find_optimal(const Communicator& communicator, CutObjects& objects,
                                        Search& search, std::span<const Search::Place> known,
                                        std::int64_t total);

}  // namespace evenkeel
