#pragma once

// Writes domains as a picture: boxes or polyhedra in an unstructured grid of VTK's XML format
// (.vtu), which ParaView opens. All functions are local; let one rank write.
//
//   write_vtu("domains.vtu", 3, cells_of(decomposition, work));

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains.hpp>

#include <span>
#include <string>
#include <vector>

namespace evenkeel {

// A box of a domain. A part has one box in a grid or in a tree, and several on a curve. A cell of a
// power diagram is a polyhedron instead, or a polygon in two dimensions.
struct DomainCell {
  Box box;
  int part = 0;
  int rank = 0;            // the owner of the part
  double work = 0;         // of the whole part; all cells of a part have the same number
  DomainShape shape = {};  // without faces, the cell is the box
};

// Returns the cells of all domains, in the order of parts: the boxes of boxes_of() for each part,
// or the shapes of a power diagram. `work` has the work of each part; if it is empty, all work is
// 0. Parts that own no place are left out. Together the cells fill the box, and no two of them
// overlap. Throws an Error for domains that own no places.
//
// In n dimensions, a range of a Hilbert or Morton curve consists of cubes, clipped to the box: at
// most 2 (2^n - 1) for each level of the lattice. A range of a snake consists of at most 5 boxes.
// If the box has no extent along an axis, the first domain along it owns everything.
EVENKEEL_API std::vector<DomainCell> cells_of(const Domains& domains,
                                              std::span<const double> work = {});

// Returns the bytes of a file with one cell for each box: VTK_VOXEL in three dimensions, VTK_PIXEL
// at z = 0 in two, VTK_LINE at y = z = 0 in one. Shapes are VTK_POLYHEDRON or VTK_POLYGON; all
// cells of a picture are boxes, or all are shapes. The cell data are `part` and `rank` (Int32),
// `work` (Float64) and `share` (Float64). `share` is the work of the part divided by the work of
// all parts in the picture, or 0 if there is no work. Numbers are appended as raw bytes in this
// machine's order. Throws an Error if there are other dimensions, if a box is not finite, or if
// work is negative or not finite.
EVENKEEL_API std::string vtu_of(int dimensions, std::span<const DomainCell> cells);

// Writes the whole file or nothing: writes a file with another name beside `path`, and then renames
// it. Throws an Error if `path` is an existing directory, device or the like, or if the disk is
// full.
EVENKEEL_API void write_vtu(const std::string& path, int dimensions,
                            std::span<const DomainCell> cells);

}  // namespace evenkeel
