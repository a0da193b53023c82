#pragma once

// The input of the application about its graph: checked arrays that the space can access, and the
// numbers that all ranks agree on. Offsets and columns may be the application's own arrays.

#include "field/numbers.hpp"
#include "graph/input/arrays.hpp"
#include "graph/levels/goal.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/graph.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::graphs {

// The least and the greatest number that ranks give.
struct RangeOfRanks {
  std::int64_t least, greatest;
};

enum class Says { weights, edge_weights, uncuttable, bytes, fixed, from, positions, ids, load };

// The numbers of all ranks together.
struct Agreed {
  std::int64_t vertices;
  RangeOfRanks parts, constraints, dimensions;
  std::int64_t ranks;                  // with vertices
  std::array<std::int64_t, 9> saying;  // the number of these that give each of Says
  PerConstraintOf<double> heaviest;
  double heaviest_bytes, heaviest_edge;
  std::int64_t uneven_edges;  // that are not integers
  std::int64_t uncuttable_edges;

  std::int64_t& of(Says what) noexcept { return saying[static_cast<std::size_t>(what)]; }
  bool has(Says what) const noexcept { return saying[static_cast<std::size_t>(what)] > 0; }
};

struct GivenRows {
  Integers offsets;
  Integers columns;                          // numbers that count the vertices of all ranks
  exec::Array<std::uint64_t> neighbour_ids;  // until columns are resolved
  exec::Array<double> weights;               // of edges; empty if all are 1
  exec::Array<std::int64_t> uncuttable;      // empty if no edge is
};

struct GivenPlaces {
  int dimensions = 0;
  NumberSource position = {};
};

struct Given {
  std::int64_t owned = 0;
  GivenRows rows;
  exec::Array<std::uint64_t> ids;            // of vertices; empty without ids
  std::vector<exec::Array<double>> weights;  // of each constraint; empty if all are 1
  exec::Array<double> bytes;                 // empty if all are 1
  exec::Array<std::int64_t> fixed, from;     // each is empty if it was not given
  GivenPlaces places;

  // The same on all ranks.
  Agreed all = {};
  std::int64_t parts = 0;
  std::vector<std::int64_t> firsts;  // the number of each rank's first vertex, then of all

  std::int64_t first = 0;  // of this rank
};

// Collective. Reads and checks everything, except that each edge has its reverse. Throws the same
// Error on all ranks.
Given given_graph(const Space& space, const Communicator& communicator,
                  const evenkeel::Graph& graph, const GraphCutOptions& options,
                  const ByGraph& method);

// The names of a vertex in messages.
std::string name_of_number(std::int64_t number);
std::string name_of_id(std::uint64_t id);

}  // namespace evenkeel::graphs
