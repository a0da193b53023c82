#pragma once

// Which cells of a mesh change their owner when its domains change, for codes that own boxes of
// cells and move them themselves. Free of messages: every rank knows both decompositions.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/cell_range.hpp>
#include <evenkeel/core/domains/grid.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace evenkeel {

// A regular mesh of cells[axis] cells along each axis, which fills a box. Along axes beyond its
// dimensions it has one.
struct CellMesh {
  Box box;
  std::array<std::int64_t, 3> cells = {1, 1, 1};
};

// The cells of a mesh whose centres a domain owns: domains of one decomposition share none and
// leave none out.
EVENKEEL_API CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part);

// Cells that go to a rank, or come from one.
struct CellParcel {
  int rank;
  CellRange cells;
};

// What a rank has before and after, gives away and gets.
struct CellMoves {
  CellRange before, after;                    // of this rank
  std::vector<CellParcel> leaving, entering;  // by rank; other ranks alone, never empty
};

// The cells that a rank gives away and gets. Throws an Error for a mesh without cells, a rank that
// owns no part, and decompositions of other boxes or dimensions. Local.
EVENKEEL_API CellMoves cells_between(const CellMesh& mesh, const GridDomains& from,
                                     const GridDomains& to, int rank);

}  // namespace evenkeel
