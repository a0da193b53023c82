#pragma once

// The format of METIS' graph files: a line "n m [fmt [ncon]]", and then one line for each of the n
// vertices. This line has up to three pieces: the size of the vertex, its ncon weights, and its
// neighbours, numbered from 1 on. The digits of fmt, with leading zeros to three digits, say what
// is there: if the first is 1, sizes; if the second is 1, weights; if the third is 1, the weight of
// the edge after each neighbour. An edge is in the lines of both its ends and counts once in m.
// Lines that begin with % are comments; an empty line is a vertex without neighbours.
//
// The reader accepts blanks, CR before LF, and a byte order mark. Numbers are whole; edges weigh at
// least 1, as METIS demands.

#include "files/graph.hpp"

namespace evenkeel::tool {

// Reads the line of every vertex, but its numbers only if the vertex is in the portion.
GraphFile read_metis(const ByteSource& source, const GraphPortion& portion,
                     const Progress& progress = {});

}  // namespace evenkeel::tool
