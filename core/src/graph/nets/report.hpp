#pragma once

// What becomes of nets in a cut.

#include "graph/nets/given.hpp"

#include <evenkeel/core/graph/net_report.hpp>

namespace evenkeel::graphs {

// Collective. What the report says of nets. `parts`: of this rank's objects, with room for no more.
// Counts nets where they are told, so each once, and of any size.
NetReport net_report(const Space& space, const Communicator& communicator, const NetsGiven& given,
                     const exec::Array<int>& parts, int part_count);

}  // namespace evenkeel::graphs
