#include "domains/stage.hpp"
#include "order/bisect.hpp"

#include <evenkeel/core/domains/grid.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

void check(const CellMesh& mesh, const GridDomains& decomposition) {
  if (decomposition.parts() == 0)
    refuse("A decomposition has no domains yet.", "Give decompositions with domains.");
  for (int axis = 0; axis < decomposition.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (mesh.cells[a] < 1)
      refuse("A mesh has " + std::to_string(mesh.cells[a]) + " cells along " + "xyz"[axis] + '.',
             "Give 1 or more.");
    if (mesh.box.lower[a] != decomposition.box().lower[a] ||
        mesh.box.upper[a] != decomposition.box().upper[a])
      refuse("A mesh and a decomposition have different boxes.", "Give both the same box.");
  }
}

double centre(const CellMesh& mesh, std::size_t axis, std::int64_t cell) {
  const double width =
      (mesh.box.upper[axis] - mesh.box.lower[axis]) / static_cast<double>(mesh.cells[axis]);
  return mesh.box.lower[axis] + (static_cast<double>(cell) + 0.5) * width;
}

// Returns the first cell along an axis whose centre is not below a border.
std::int64_t first_cell(const CellMesh& mesh, std::size_t axis, double border) {
  return count_before_on_host(mesh.cells[axis],
                              [&](std::int64_t cell) { return centre(mesh, axis, cell) < border; });
}

CellRange common(const CellRange& a, const CellRange& b) {
  CellRange both;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    both.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
    both.end[axis] = std::max(both.begin[axis], std::min(a.end[axis], b.end[axis]));
  }
  return both;
}

// Returns the cells of a range that other ranks own, one parcel for each rank.
std::vector<CellMoves::Parcel> shares(const CellMesh& mesh, const GridDomains& decomposition,
                                      const CellRange& range, const Box& around, int rank) {
  std::vector<CellMoves::Parcel> parcels;
  if (range.count() == 0) return parcels;
  for (const int other : decomposition.ranks_within(around, 0)) {
    if (other == rank) continue;
    const CellRange cells =
        common(range, cells_in(mesh, decomposition, decomposition.part_of(other)));
    if (cells.count() > 0) parcels.push_back({other, cells});
  }
  return parcels;
}

}  // namespace

CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part) {
  check(mesh, decomposition);
  const Box domain = decomposition.box_of(part);
  CellRange range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool matters = axis < static_cast<std::size_t>(decomposition.dimensions());
    range.begin[axis] = matters ? first_cell(mesh, axis, domain.lower[axis]) : 0;
    range.end[axis] = matters ? first_cell(mesh, axis, domain.upper[axis]) : 1;
    // If the box has no extent along an axis, one domain owns the only place, and so all cells.
    const bool flat = matters && mesh.box.lower[axis] == mesh.box.upper[axis];
    if (flat) range.end[axis] = decomposition.shape().at(part)[axis] == 0 ? mesh.cells[axis] : 0;
  }
  return range;
}

CellMoves cells_between(const CellMesh& mesh, const GridDomains& from, const GridDomains& to,
                        int rank) {
  check(mesh, from);
  check(mesh, to);
  if (from.dimensions() != to.dimensions())
    refuse("Decompositions of different dimensions were given.",
           "Give two decompositions of the same box.");
  const int before = from.part_of(rank), after = to.part_of(rank);
  CellMoves moves;
  moves.before = cells_in(mesh, from, before);
  moves.after = cells_in(mesh, to, after);
  moves.leaving = shares(mesh, to, moves.before, from.box_of(before), rank);
  moves.entering = shares(mesh, from, moves.after, to.box_of(after), rank);
  return moves;
}

}  // namespace evenkeel
