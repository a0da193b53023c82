#pragma once

// A graph in a file, as rows of neighbours (CSR). Three formats: METIS' .graph, Matrix Market's
// .mtx, and arrays in .npy files. Ranks read one file together: each keeps the rows of its portion
// of the vertices.
//
// An edge between two vertices stands in the rows of both. The reader of .mtx sees to that; for the
// other formats, first_offence (graph_offence.hpp) tells where it is not so. Memory use is bounded
// by the size of the file, whatever its content claims.

#include "files/lines.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool {

// The rows of one of `of` readers: exec::share_of(vertices, of, index).
struct Portion {
  std::int64_t index = 0, of = 1;
};

// What the reader of .mtx has changed to make a graph of a matrix, counted so that the sum over all
// portions is right for the whole graph.
struct GraphChanges {
  std::int64_t loops = 0;       // entries on the diagonal, left out
  std::int64_t duplicates = 0;  // entries added to an earlier one in the same place
  std::int64_t one_way = 0;     // edges with an entry on one side of the diagonal only
  std::int64_t unequal = 0;     // edges with two values, of which the greater counts
  std::int64_t zeros = 0;       // edges of value 0, left out
};

struct GraphFile {
  std::int64_t vertices = 0;  // in the whole file
  std::int64_t entries = 0;   // of all rows in the whole file; an edge has two

  // The rows of this portion: vertices [first, first + rows()).
  std::int64_t first = 0;
  std::vector<std::int64_t> offsets = {0};  // into columns, from 0 on
  std::vector<std::int64_t> columns;        // neighbours, in [0, vertices)
  std::vector<double> edge_weights;         // of each entry, positive; empty: none given
  std::int64_t constraints = 0;             // weights that each vertex has; 0: none given
  std::vector<double> vertex_weights;       // not negative; those of a vertex stand together
  std::vector<double> vertex_sizes;         // not negative; empty: none given

  // Half the entries of the whole graph, where the file declares it.
  std::optional<std::int64_t> declared_edges;
  int first_number = 1;  // how the file numbers its first vertex
  GraphChanges changes;

  std::int64_t rows() const noexcept { return std::ssize(offsets) - 1; }
};

enum class GraphFormat : int { metis, matrix_market, npy };

// By the end of the name: .graph, .mtx, or .npy for "offsets.npy,columns.npy", which may have a
// third file, of edge weights. Any other is an Error.
GraphFormat graph_format_of(const std::string& path);

// The files that `path` names.
std::vector<std::string> files_of_graph(const std::string& path);

// This portion alone; `entries` and `changes` count for it only. Local.
GraphFile read_graph(const std::string& path, const Portion& portion,
                     const Progress& progress = {});

// Each rank its portion; a failure on one is an Error on all. `entries` and `changes` are those of
// the whole graph, and checked against what the file declares. Collective.
GraphFile read_graph(const Communicator& communicator, const std::string& path,
                     const Progress& progress = {});

// An Error unless the file declares as many edges as it has. For what Communicator::self() reads.
void check_declared_edges(const GraphFile& graph, const std::string& path);

// Sentences that tell the user what was changed; none where nothing was.
std::vector<std::string> remarks_on(const GraphChanges& changes);

}  // namespace evenkeel::tool
