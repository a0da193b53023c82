#pragma once

// Keys of vertices along a curve through their positions.

#include "graph/given.hpp"

namespace evenkeel::graphs {

// Collective, where positions are given.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const Given& given);

}  // namespace evenkeel::graphs
