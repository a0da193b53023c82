#pragma once

// Reads the graph of the application, checks it, and makes the finest level from it.

#include "graph/input/given.hpp"
#include "graph/levels/goal.hpp"
#include "graph/levels/level.hpp"

#include <evenkeel/core/graph.hpp>

#include <cstdint>

namespace evenkeel::graphs {

// The counts of all ranks together.
struct GraphCounts {
  std::int64_t vertices = 0, isolated = 0, loops = 0, duplicates = 0, edges = 0;
};

struct GraphRead {
  Level level;
  // The leader of each vertex and ghost, if there are clusters that no cut may divide.
  exec::Array<Address> uncuttable;
  // The same on all ranks.
  bool has_homes = false, has_keys = false, has_uncuttable = false, has_weights = false;
  int dimensions = 0;  // of positions
  PerConstraint totals = {};
  double edge_unit = 1;  // the weight of an edge of one unit
  GraphCounts counts;
};

// Collective. Throws the same Error on all ranks if the graph or its options are not valid.
GraphRead read_graph(const Space& space, const Communicator& communicator,
                     const evenkeel::Graph& graph, const GraphCutOptions& options,
                     const ByGraph& method);

// Collective. The same for a graph that is checked, except that each edge has its reverse.
// `moving_cost` is that of a method.
GraphRead read_given(const Space& space, const Communicator& communicator, const Given& given,
                     double moving_cost);

}  // namespace evenkeel::graphs
