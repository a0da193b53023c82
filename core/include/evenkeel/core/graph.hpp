#pragma once

// Cuts a graph that is spread over ranks into parts: a part for each vertex, so that parts weigh
// the same and few edges are cut. From nothing, or from the parts that there are, which then change
// as little as it takes.
//
//   ek::GraphCut cut = ek::cut_graph(space, ranks, ek::graph(offsets, neighbours),
//                                   {.parts = 64});
//   cut.parts          // of each vertex, in the memory of the space
//   cut.report         // what is cut, what would move
//
// docs/graph.md tells how it works and how good it is.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel {

inline constexpr int most_graph_weights = 8;  // constraints
inline constexpr int no_part = -1;

// What is known of vertices and edges. Each is given like a field, in any container, and is only
// read. "Edge" is an entry of the columns here: each edge of the
// graph is one in both directions.
struct GraphOptions {
  // A number by which each vertex is known on all ranks: integers of any type and value, no two the
  // same. The columns then hold these. Unset: vertices are numbered, rank after rank.
  NumberSource id = {};
  // What each vertex costs, finite and not negative. Several numbers per vertex are constraints,
  // each of which is balanced. Unset: all cost the same.
  NumberSource weight = {};
  // What it costs to cut an edge, finite and not negative; infinity: it must not be cut. Both
  // directions have the same. Unset: all cost 1.
  NumberSource edge_weight = {};
  // Edges with a nonzero number must not be cut. Both directions have the same.
  NumberSource uncuttable = {};
  // What it costs to move a vertex, relative to the others: its bytes, say. Unset: all the same.
  NumberSource bytes = {};
  // Two or three coordinates per vertex.
  NumberSource position = {};
  // The part that a vertex must be in; a negative number: any. Integers.
  NumberSource fixed = {};
};

// The vertices of a rank: their neighbours are columns[offsets[v]] to before
// columns[offsets[v + 1]], by numbers that count the vertices of all ranks, rank after rank, or by
// ids. Ids and entries of columns beyond what the offsets say are not read. A description: it
// refers to the application's variables, which are read when it is used.
class EVENKEEL_API Graph {
 public:
  Graph(NumberSource offsets, NumberSource columns, GraphOptions options = {})
      : offsets_(std::move(offsets)), columns_(std::move(columns)), options_(std::move(options)) {}

  const NumberSource& offsets() const noexcept { return offsets_; }
  const NumberSource& columns() const noexcept { return columns_; }
  const GraphOptions& options() const noexcept { return options_; }

 private:
  NumberSource offsets_, columns_;
  GraphOptions options_;
};

inline Graph graph(NumberSource offsets, NumberSource columns, GraphOptions options = {}) {
  return {std::move(offsets), std::move(columns), std::move(options)};
}

// How hard a cut is sought.
enum class Effort : int {
  polish,  // one level: improves the parts that there are, or those of a curve through positions
  fast,
  good
};
EVENKEEL_API const char* name_of(Effort effort) noexcept;

// The method, with what it aims for.
struct ByGraph {
  Effort effort = Effort::good;
  // By how much a part may exceed the average, in each constraint; a vertex that is heavier than
  // that allows it all the same.
  double tolerance = 0.03;
  // With parts to begin from: how many edges of the average weight may be cut more to keep a
  // vertex of the average bytes where it is. 0: it matters where all else is equal.
  double moving_cost = 0;
  friend bool operator==(const ByGraph&, const ByGraph&) = default;
};

// The same on all ranks.
struct GraphCutOptions {
  int parts = 0;  // 0: one for each rank
  // Parts to begin from, one per vertex; a negative number: none. Unset: from nothing.
  NumberSource from = {};
};

// The same on all ranks. An edge counts once.
struct GraphReport {
  int parts = 0;
  std::int64_t vertices = 0, edges = 0;
  std::int64_t isolated = 0;    // vertices without edges
  std::int64_t loops = 0;       // edges of a vertex to itself, which were left out
  std::int64_t duplicates = 0;  // edges that were there more than once, and count together
  double cut = 0;               // weight of the edges between parts
  std::int64_t cut_edges = 0;
  std::int64_t volume = 0;        // for each vertex, the other parts that its neighbours are in
  int most_neighbours = 0;        // other parts that a part shares edges with
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this: vertices cannot be divided
  double moved = 0;               // share of all vertices that change their part
  double moved_weight = 0;        // share of the weight, of the first constraint
  double least_moved_weight = 0;  // what must move at least, for the tolerance
  std::int64_t broken = 0;        // uncuttable edges that are cut: 0
  int empty = 0;                  // parts without a vertex: 0 if there are enough vertices
};

struct GraphCut {
  exec::Array<int> parts;  // of this rank's vertices
  GraphReport report;
};

// Collective. The same parts on any number of ranks and threads and on any space, as long as the
// numbers of vertices are the same. Throws the same Error on all ranks for: offsets or columns that
// are not valid; an id that two vertices have, or none; an edge without its reverse, or with
// another weight there, of which the lowest is named; weights that are not valid; fixed parts that
// do not exist, or that an uncuttable edge connects; memory that is refused.
EVENKEEL_API GraphCut cut_graph(const Space& space, const Communicator& communicator,
                                const Graph& graph, const GraphCutOptions& options = {},
                                const ByGraph& method = {});

}  // namespace evenkeel
