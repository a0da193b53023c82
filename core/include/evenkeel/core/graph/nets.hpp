#pragma once

// Cuts objects that light nets connect into parts that weigh the same, so that nets are in few
// parts: for matrices, whose rows need the entries of a vector that their columns name; for
// circuits; for elements that share nodes. A graph counts an edge for each two objects that a net
// connects; what has to be sent is a copy for each other part, and that is what is minimised here.
//
//   ek::NetCut cut = ek::cut_nets(space, ranks, ek::nets(rows, offsets, columns), {.parts = 64});
//   cut.parts                // of each object, in the memory of the space
//   cut.report.connectivity  // for each net, the parts that it is in but one
//
// docs/graph.md tells how it works and how good it is.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/graph.hpp>
#include <evenkeel/core/graph/net_description.hpp>
#include <evenkeel/core/graph/net_report.hpp>

namespace evenkeel {

// A part for each object, and what that means.
struct NetCut {
  exec::Array<int> parts;  // of this rank's objects
  NetReport report;
};

// Collective. The options and the method are those of graphs, where a net of the average weight
// takes the place of an edge of the average weight. The same parts on any number of ranks and
// threads and on any space, as long as the numbers of objects are the same. Throws the same Error
// on all ranks for: offsets or pins that are not valid; an id that two objects have, or none;
// weights that are not valid; fixed parts that do not exist; memory that is refused.
EVENKEEL_API NetCut cut_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                             const GraphCutOptions& options = {}, const ByGraph& method = {});

}  // namespace evenkeel
