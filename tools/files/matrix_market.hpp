#pragma once

// A square sparse matrix in Matrix Market's format as a graph: a vertex for each row, an edge where
// there is an entry off the diagonal, which weighs its absolute value. The file begins with a
// banner, %%MatrixMarket matrix coordinate <real, integer or pattern> <general, symmetric or
// skew-symmetric>; then come comments (%), a line "rows columns entries", and a line "row column
// value" for each entry, counted from 1. A pattern has no values.
//
// What makes a graph of a matrix, and is counted in GraphChanges:
//   - entries on the diagonal are left out;
//   - entries in the same place are added up;
//   - a general matrix need not be symmetric: an edge is where either side has an entry, and weighs
//     the greater of both;
//   - edges that weigh 0 are left out.
//
// Neighbours are in ascending order. Every reader reads the whole file and keeps the entries in
// rows of its portion.

#include "files/graph.hpp"

namespace evenkeel::tool {

GraphFile read_matrix_market(const ByteSource& source, const Portion& portion,
                             const Progress& progress = {});

}  // namespace evenkeel::tool
