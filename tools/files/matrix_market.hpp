#pragma once

// A square sparse matrix in Matrix Market's format, read as a graph. Each row becomes a vertex.
// Each entry off the diagonal becomes an edge, which weighs the absolute value of the entry. The
// file begins with a banner, %%MatrixMarket matrix coordinate <real, integer or pattern> <general,
// symmetric or skew-symmetric>. Then come comments (%), a line "rows columns entries", and for each
// entry a line "row column value", where rows and columns count from 1. A pattern has no values.
//
// The reader turns a matrix into a graph as follows, and counts the changes in GraphChanges:
//   - it leaves out entries on the diagonal;
//   - it adds up entries in the same row and column;
//   - a general matrix need not be symmetric: there is an edge if either side of the diagonal has
//     an entry, and it weighs the greater of both;
//   - it leaves out edges that weigh 0.
//
// Neighbours are in ascending order. Every reader reads the whole file and keeps the entries in the
// rows and columns of its portion.

#include "files/graph.hpp"

namespace evenkeel::tool {

GraphFile read_matrix_market(const ByteSource& source, const GraphPortion& portion,
                             const Progress& progress = {});

}  // namespace evenkeel::tool
