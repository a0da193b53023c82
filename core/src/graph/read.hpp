#pragma once

// Reads what the application says of its graph, checks it, and makes the finest level of it.

#include "graph/given.hpp"
#include "graph/goal.hpp"
#include "graph/level.hpp"

#include <evenkeel/core/graph.hpp>

#include <array>
#include <cstdint>

namespace evenkeel::graphs {

struct GraphRead {
  Level level;
  // Clusters that no cut may divide: the leader of each vertex and ghost, if there are any.
  exec::Array<Address> uncuttable;
  // The same on all ranks.
  bool has_homes = false, has_keys = false, has_uncuttable = false, has_weights = false;
  int dimensions = 0;  // of positions
  PerConstraint totals = {};
  double edge_unit = 1;  // what an edge of one unit weighs
  std::int64_t vertices = 0, isolated = 0, loops = 0, duplicates = 0, edges = 0;
};

// Collective. Throws the same Error on all ranks where the graph, or what is known of it, makes no
// sense.
GraphRead read_graph(const Space& space, const Communicator& communicator,
                     const evenkeel::Graph& graph, const GraphCutOptions& options,
                     const ByGraph& method);

// Collective. The same where all is checked but whether each edge has its reverse. `moving_cost`:
// that of a method.
GraphRead read_given(const Space& space, const Communicator& communicator, const Given& given,
                     double moving_cost);

}  // namespace evenkeel::graphs
