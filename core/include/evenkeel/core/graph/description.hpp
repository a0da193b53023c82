#pragma once

// A graph as an application describes it: rows of neighbours, and what is known of vertices and
// edges.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/number_source.hpp>

#include <utility>

namespace evenkeel {

inline constexpr int most_graph_weights = 8;  // constraints
// Of a vertex that is in no part.
inline constexpr int no_part = -1;

// What is known of vertices and edges. Each is given like a field, in any container, and is only
// read. "Edge" is an entry of the columns here: each edge of the graph is one in both directions.
struct GraphOptions {
  // How many vertices this rank has, at the front of arrays that may be longer. Unset: as many as
  // there are rows, and every array has just as many entries. In a set: that of the set.
  OwnedCount count = {};
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
// ids. What is told of edges beyond what the offsets say is not read. A description: it refers to
// the application's variables, which are read when it is used.
class EVENKEEL_API Graph {
 public:
  // See graph().
  Graph(NumberSource offsets, NumberSource columns, GraphOptions options = {})
      : offsets_(std::move(offsets)), columns_(std::move(columns)), options_(std::move(options)) {}

  const NumberSource& offsets() const noexcept { return offsets_; }
  const NumberSource& columns() const noexcept { return columns_; }
  const GraphOptions& options() const noexcept { return options_; }

 private:
  NumberSource offsets_, columns_;
  GraphOptions options_;
};

// The description of a graph, for a set or for cut_graph().
inline Graph graph(NumberSource offsets, NumberSource columns, GraphOptions options = {}) {
  return {std::move(offsets), std::move(columns), std::move(options)};
}

}  // namespace evenkeel
