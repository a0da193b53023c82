#pragma once

// Writes domains as a picture: boxes in an unstructured grid of VTK's XML format (.vtu), which
// ParaView opens. All functions are local; let one rank write.
//
//   write_vtu("domains.vtu", 3, cells_of(decomposition, work));

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains.hpp>

#include <span>
#include <string>
#include <vector>

namespace evenkeel {

// A box of a domain. A part has one box in a grid or in a tree, and several on a curve.
struct DomainCell {
  Box box;
  int part = 0;
  int rank = 0;     // that owns the part
  double work = 0;  // of the whole part, in each of its cells
};

// The cells of all domains, in the order of parts: the result of boxes_of() for each. `work` is
// that of each part, or 0 for all parts if it is empty. Parts that own no place are left out.
// Together the cells fill the box, and no two of them overlap. Throws an Error for domains that own
// no places.
//
// A range of a Hilbert or Morton curve consists of cubes, clipped to the box: at most 2 (2^n - 1)
// for each level of the lattice. A range of a snake consists of at most 5 boxes. If the box has no
// extent along an axis, the first domain along it owns everything.
EVENKEEL_API std::vector<DomainCell> cells_of(const Domains& domains,
                                              std::span<const double> work = {});

// The bytes of a file with one cell for each box: VTK_VOXEL in three dimensions, VTK_PIXEL at z = 0
// in two, VTK_LINE at y = z = 0 in one. Cell data: `part` and `rank` (Int32), `work` (Float64) and
// `share` (Float64), the part's work over that of all parts in the picture; 0 without any work.
// Numbers are appended as raw bytes in this machine's order. Throws an Error for other dimensions,
// boxes that are not finite, and work that is negative or not finite.
EVENKEEL_API std::string vtu_of(int dimensions, std::span<const DomainCell> cells);

// Writes the whole file or nothing: it is written under another name beside `path` and then
// renamed. Throws an Error for a path that leads to anything but a regular file or a new one, and
// if the disk is full.
EVENKEEL_API void write_vtu(const std::string& path, int dimensions,
                            std::span<const DomainCell> cells);

}  // namespace evenkeel
