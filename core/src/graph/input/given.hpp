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

// The least and the greatest value of a number that each rank gives.
struct RangeOfRanks {
  std::int64_t least, greatest;
};

enum class Says { weights, edge_weights, uncuttable, bytes, fixed, from, positions, ids, load };

// Numbers that all ranks together agree on.
struct Agreed {
  std::int64_t vertices;
  RangeOfRanks parts, constraints, dimensions;
  std::int64_t ranks;  // number of ranks that have vertices
  // for each enumerator of Says, the number of ranks with vertices for which it is true
  std::array<std::int64_t, 9> saying;
  PerConstraintOf<double> heaviest;
  double heaviest_bytes, heaviest_edge;
  std::int64_t uneven_edges;  // edges whose weight is not an integer
  std::int64_t uncuttable_edges;

  std::int64_t& of(Says what) noexcept { return saying[static_cast<std::size_t>(what)]; }
  bool has(Says what) const noexcept { return saying[static_cast<std::size_t>(what)] > 0; }
};

struct GivenRows {
  Integers offsets;
  Integers columns;                          // numbers of vertices, counted over all ranks
  exec::Array<std::uint64_t> neighbour_ids;  // ids of neighbours, until `columns` is written
  exec::Array<double> weights;               // by edge; empty if all weights are 1
  exec::Array<std::int64_t> uncuttable;      // marks of edges; empty if no edge has one
};

struct GivenPlaces {
  int dimensions = 0;
  NumberSource position = {};
};

struct Given {
  std::int64_t owned = 0;
  GivenRows rows;
  exec::Array<std::uint64_t> ids;  // by vertex; empty if the application gives no ids
  // by constraint, then by vertex; empty if all weights are 1
  std::vector<exec::Array<double>> weights;
  exec::Array<double> bytes;              // by vertex; empty if all are 1
  exec::Array<std::int64_t> fixed, from;  // each is empty if it was not given
  GivenPlaces places;

  // These three are the same on all ranks.
  Agreed all = {};
  std::int64_t parts = 0;
  // the number of each rank's first vertex, then the number of all vertices
  std::vector<std::int64_t> firsts;

  std::int64_t first = 0;  // the number of this rank's first vertex
};

// Collective. Reads and checks the whole input, but does not check that each edge has its reverse.
// Throws the same Error on all ranks.
Given given_graph(const Space& space, const Communicator& communicator,
                  const evenkeel::Graph& graph, const GraphCutOptions& options,
                  const ByGraph& method);

// Returns the name of a vertex for messages.
std::string name_of_number(std::int64_t number);
std::string name_of_id(std::uint64_t id);

}  // namespace evenkeel::graphs
