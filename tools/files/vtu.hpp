#pragma once

// Boxes for ParaView: an unstructured grid of VTK's XML format (.vtu) with one cell for each box,
// VTK_VOXEL in three dimensions and VTK_PIXEL in two, and the cell data `part` (Int32) and `weight`
// (Float64). The numbers are appended as raw bytes in this machine's order.

#include "files/output_file.hpp"

#include <evenkeel/core/box.hpp>

#include <cstdint>
#include <span>

namespace evenkeel::tool {

struct DomainCell {
  Box box;
  std::int32_t part = 0;
  double weight = 0;
};

// The whole file, except that it stays to be committed. In two dimensions all cells lie at z = 0.
// An Error when dimensions is neither 2 nor 3, or a box is not finite: leave out what is empty.
void write_vtu(OutputFile& file, int dimensions, std::span<const DomainCell> cells);

}  // namespace evenkeel::tool
