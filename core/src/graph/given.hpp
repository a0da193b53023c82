#pragma once

// What the application says of its graph: arrays that are checked, where the space can access them,
// and what all ranks agree on. Offsets and columns may be the application's own.

#include "field/integers.hpp"
#include "graph/arrays.hpp"
#include "graph/goal.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::graphs {

// What the ranks have together.
struct Agreed {
  std::int64_t vertices, least_parts, greatest_parts, least_constraints, greatest_constraints;
  std::int64_t has_weights, has_edge_weights, has_uncuttable, has_bytes, has_fixed, has_from,
      has_positions, has_ids, has_load, ranks;  // ranks that say so, and ranks with vertices
  double heaviest[most_constraints], heaviest_bytes, heaviest_edge;
  std::int64_t uneven_edges;  // that are not integers
  std::int64_t uncuttable_edges;
  std::int64_t least_dimensions, greatest_dimensions;
};

struct Given {
  std::int64_t owned = 0;
  Integers offsets;
  Integers columns;                          // numbers that count the vertices of all ranks
  exec::Array<std::uint64_t> ids;            // of vertices; empty: none
  exec::Array<std::uint64_t> neighbour_ids;  // until columns are resolved
  exec::Array<double> edge_weights;          // empty: all 1
  exec::Array<std::int64_t> uncuttable;      // empty: none
  std::vector<exec::Array<double>> weights;  // of each constraint; none: all 1
  exec::Array<double> bytes;                 // empty: all 1
  exec::Array<std::int64_t> fixed, from;     // empty: none
  int dimensions = 0;
  NumberSource position = {};

  // The same on all ranks.
  Agreed all = {};
  std::int64_t parts = 0;
  std::vector<std::int64_t> firsts;  // the number of each rank's first vertex, and that of all

  std::int64_t first = 0;  // of this rank
};

// Collective. Reads and checks all but whether each edge has its reverse. Throws the same Error on
// all ranks.
Given given_graph(const Space& space, const Communicator& communicator,
                  const evenkeel::Graph& graph, const GraphCutOptions& options,
                  const ByGraph& method);

// How messages name a vertex.
std::string name_of_number(std::int64_t number);
std::string name_of_id(std::uint64_t id);

}  // namespace evenkeel::graphs
