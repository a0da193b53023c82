#pragma once

// The input of the application about its graph: checked arrays that the space can access, and the
// numbers that all ranks agree on. Offsets and columns may be the application's own arrays.

#include "field/numbers.hpp"
#include "graph/input/arrays.hpp"
#include "graph/levels/goal.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
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
  std::int64_t entries;  // of all rows
  RangeOfRanks parts, constraints, dimensions;
  RangeOfRanks speeds, memory;  // numbers made from the speeds and the limits of parts
  std::int64_t ranks;           // number of ranks that have vertices
  // for each enumerator of Says, the number of ranks with vertices for which it is true
  std::array<std::int64_t, 9> saying;
  PerConstraintOf<double> heaviest;
  double heaviest_bytes, heaviest_edge;
  std::int64_t edges;         // edges with a given weight; as below, each direction counts
  std::int64_t uneven_edges;  // edges whose weight is not an integer
  std::int64_t free_edges;    // edges of weight 0
  // edges of finite weight above 0, and the sum of the binary exponents of their weights
  std::int64_t costly_edges, edge_exponents;
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

// Tells, in kernels, which entries of rows are edges that must not be cut.
struct IsUncuttable {
  const double* weights;      // null if all weights are 1
  const std::int64_t* marks;  // null if there are no marks
  explicit IsUncuttable(const GivenRows& rows)
      : weights(rows.weights.empty() ? nullptr : rows.weights.data()),
        marks(rows.uncuttable.empty() ? nullptr : rows.uncuttable.data()) {}
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const {
    return (marks != nullptr && marks[e] != 0) ||
           (weights != nullptr && !exec::is_finite(weights[e]));
  }
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

// Local. Returns how many entries of the graph forbid that all vertices of this rank stay in part
// `rank`, if each other rank keeps its vertices, too: uncuttable edges to other ranks, and fixed
// parts. `first` is the number of this rank's first vertex. Throws an Error if arrays are invalid.
std::int64_t objections_to_staying(const Space& space, const evenkeel::Graph& graph, int rank,
                                   std::int64_t first);

// Returns the name of a vertex for messages.
std::string name_of_number(std::int64_t number);
std::string name_of_id(std::uint64_t id);

}  // namespace evenkeel::graphs
