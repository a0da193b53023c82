#pragma once

// A graph in arrays: n + 1 offsets, from 0 to the number of entries; the neighbours of each vertex,
// numbered from 0 on; and perhaps the weight of each entry. Offsets and neighbours are i4 or i8.

#include "files/graph.hpp"
#include "files/npy.hpp"

namespace evenkeel::tool {

// Each reader reads the elements of its portion. `weights` may be null.
GraphFile read_npy_graph(const NpyFile& offsets, const NpyFile& columns, const NpyFile* weights,
                         const GraphPortion& portion, const Progress& progress = {});

}  // namespace evenkeel::tool
