#pragma once

// Reads the graph of the application, checks it, and makes the finest level from it.

#include "graph/input/given.hpp"
#include "graph/levels/goal.hpp"
#include "graph/levels/level.hpp"

#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace evenkeel::graphs {

// Counts over all ranks.
struct GraphCounts {
  std::int64_t vertices = 0, isolated = 0, loops = 0, duplicates = 0, edges = 0;
};

// The edges as the application gives them. Rows may be the application's own arrays.
struct UnscaledEdges {
  GivenRows rows;
  std::vector<std::int64_t> firsts;  // see Given
  std::int64_t owned = 0, first = 0;
};

struct GraphRead {
  Level level;
  // The leader of each vertex and ghost. Empty if there are no clusters that must not be divided.
  exec::Array<Address> uncuttable;
  // All members from here on are the same on all ranks.
  bool has_homes = false, has_keys = false, has_uncuttable = false, has_weights = false;
  int dimensions = 0;  // number of coordinates of a position
  PerConstraint totals = {};
  GraphCounts counts;
  // If weights of edges in units are not the given weights: the given edges. It is set on all
  // ranks, or on no rank.
  std::optional<UnscaledEdges> unscaled;
};

// Collective. Throws the same Error on all ranks if the graph or the options are not valid.
GraphRead read_graph(const Space& space, const Communicator& communicator,
                     const evenkeel::Graph& graph, const GraphCutOptions& options,
                     const ByGraph& method);

// Collective. Reads a graph that is checked already, but checks that each edge has its reverse.
// `moving_cost` is an option of the method.
GraphRead read_given(const Space& space, const Communicator& communicator, const Given& given,
                     double moving_cost);

// Returns the edges of a graph whose weights of edges in units are not the given weights. The
// result is set on all ranks, or on no rank.
std::optional<UnscaledEdges> unscaled_edges(Given given);

// Collective. Returns the given weight of the edges between parts. `parts` has the part of each
// vertex of this rank. The sum is the same on any number of ranks.
double cut_weight(const Space& space, const Communicator& communicator, const UnscaledEdges& edges,
                  const exec::Array<int>& parts);

}  // namespace evenkeel::graphs
