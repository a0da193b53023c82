#pragma once

// A graph in a file, as rows of neighbours (CSR). There are three formats: METIS' .graph, Matrix
// Market's .mtx, and arrays in .npy files. Ranks read one file together: each keeps the rows of its
// portion of the vertices.
//
// An edge between two vertices is in the rows of both. The reader of .mtx makes sure of that; for
// the other formats, first_offence (graph_offence.hpp) finds the first edge that violates it.
// Memory use is bounded by the size of the file, whatever its content claims.

#include "files/lines.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

namespace evenkeel::tool {

// Reader number `index` of `of` readers reads the rows exec::share_of(vertices, of, index).
struct GraphPortion {
  std::int64_t index = 0, of = 1;
};

// The changes that the reader of .mtx has made to turn a matrix into a graph. Each portion counts
// them so that the sum over all portions is right for the whole graph.
struct GraphChanges {
  std::int64_t loops = 0;       // entries on the diagonal, left out
  std::int64_t duplicates = 0;  // entries added to an earlier one in the same place
  std::int64_t one_way = 0;     // edges with an entry on one side of the diagonal only
  std::int64_t unequal = 0;     // edges with two values, of which the greater counts
  std::int64_t zeros = 0;       // edges of value 0, left out
};

struct GraphFile {
  std::int64_t vertices = 0;  // in the whole file
  std::int64_t entries = 0;   // of all rows in the whole file; each edge has two entries

  // The rows of this portion: vertices [first, first + rows()).
  std::int64_t first = 0;
  std::vector<std::int64_t> offsets = {0};  // into columns, from 0 on
  std::vector<std::int64_t> columns;        // neighbours, in [0, vertices)
  std::vector<double> edge_weights;         // of each entry, positive; empty if not given
  std::int64_t constraints = 0;             // weights that each vertex has; 0 if not given
  std::vector<double> vertex_weights;       // not negative; all weights of a vertex are adjacent
  std::vector<double> vertex_sizes;         // not negative; empty if not given

  // The number of edges that the file declares, if it declares one. The whole graph must have twice
  // as many entries.
  std::optional<std::int64_t> declared_edges;
  int first_number = 1;  // how the file numbers its first vertex
  GraphChanges changes;

  std::int64_t rows() const noexcept { return std::ssize(offsets) - 1; }
};

enum class GraphFormat : int { metis, matrix_market, npy };

// The end of the name determines the format: .graph, .mtx, or .npy for "offsets.npy,columns.npy",
// which may have a third file, of edge weights. Throws an Error for any other name.
GraphFormat graph_format_of(const std::string& path);

// The files that `path` names.
std::vector<std::string> files_of_graph(const std::string& path);

// Local. Reads this portion alone; `entries` and `changes` count only this portion.
GraphFile read_graph(const std::string& path, const GraphPortion& portion,
                     const Progress& progress = {});

// Collective. Each rank reads its portion; a failure on one rank is an Error on all. `entries` and
// `changes` count the whole graph. It is an Error if the file declares another number of edges.
GraphFile read_graph(const Communicator& communicator, const std::string& path,
                     const Progress& progress = {});

// Throws an Error unless the file has the number of edges that it declares. `graph.entries` must
// count the whole file.
void check_declared_edges(const GraphFile& graph, const std::string& path);

// Sentences that explain the changes to the user; empty if there were no changes.
std::vector<std::string> remarks_on(const GraphChanges& changes);

}  // namespace evenkeel::tool
