#pragma once

// Whether each edge stands in the rows of both its vertices, with the same weight and mark.

#include "graph/given.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Blocks. A sum of hashes, which is 0 over all ranks if each edge has its reverse.
std::uint64_t asymmetry(const Space& space, const Given& given);

// Collective; where that sum is not 0. Throws an Error, the same on all ranks, that names the
// lowest edge without a like reverse: the one with the lowest number at its lower end, and of these
// the one with the lowest number at its upper end. Takes no memory: bisects for each of the two.
[[noreturn]] void refuse_asymmetry(const Space& space, const Communicator& communicator,
                                   const Given& given);

}  // namespace evenkeel::graphs
