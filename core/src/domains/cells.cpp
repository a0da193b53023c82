#include "domains/stage.hpp"
#include "order/bisect.hpp"

#include <evenkeel/core/domains.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

void check(const CellMesh& mesh, const Decomposition& decomposition) {
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

template <class Boxes>
CellRange cells_of(const CellMesh& mesh, const Boxes& boxes, int part) {
  const Box domain = boxes.box_of(part);
  CellRange range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool matters = axis < static_cast<std::size_t>(boxes.dimensions());
    range.begin[axis] = matters ? first_cell(mesh, axis, domain.lower[axis]) : 0;
    range.end[axis] = matters ? first_cell(mesh, axis, domain.upper[axis]) : 1;
    // If the box has no extent along an axis, one domain owns the only place, and so all cells.
    const bool flat = matters && mesh.box.lower[axis] == mesh.box.upper[axis];
    if (flat) range.end[axis] = boxes.boxes_of(part).empty() ? 0 : mesh.cells[axis];
  }
  return range;
}

// Returns the cells of a range that other ranks own, one parcel for each rank.
template <class Boxes>
std::vector<CellMoves::Parcel> shares(const CellMesh& mesh, const Boxes& boxes,
                                      const CellRange& range, const Box& around, int rank) {
  std::vector<CellMoves::Parcel> parcels;
  if (range.count() == 0) return parcels;
  for (const int other : boxes.ranks_within(around, 0)) {
    if (other == rank) continue;
    const CellRange cells = common(range, cells_of(mesh, boxes, boxes.part_of(other)));
    if (cells.count() > 0) parcels.push_back({other, cells});
  }
  return parcels;
}

template <class From, class To>
CellMoves moves_between(const CellMesh& mesh, const From& from, const To& to, int rank) {
  check(mesh, from);
  check(mesh, to);
  if (from.dimensions() != to.dimensions())
    refuse("Decompositions of different dimensions were given.",
           "Give two decompositions of the same box.");
  const int before = from.part_of(rank), after = to.part_of(rank);
  CellMoves moves;
  moves.before = cells_of(mesh, from, before);
  moves.after = cells_of(mesh, to, after);
  moves.leaving = shares(mesh, to, moves.before, from.box_of(before), rank);
  moves.entering = shares(mesh, from, moves.after, to.box_of(after), rank);
  return moves;
}

// Calls visit(boxes) with the domains, which must be boxes.
template <class Visit>
auto with_boxes(const Domains& domains, const Visit& visit) {
  if (const auto* const grid = std::get_if<GridDomains>(&domains)) return visit(*grid);
  if (const auto* const tree = std::get_if<TreeDomains>(&domains)) return visit(*tree);
  if (parts_of(domains) == 0) return visit(GridDomains());
  refuse("Cells were asked for, but domains are not boxes.",
         "Use the method bisection, staggered or tensor.");
}

}  // namespace

CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part) {
  check(mesh, decomposition);
  return cells_of(mesh, decomposition, part);
}

CellRange cells_in(const CellMesh& mesh, const Domains& domains, int part) {
  check(mesh, decomposition_of(domains));
  return with_boxes(domains, [&](const auto& boxes) { return cells_of(mesh, boxes, part); });
}

CellMoves cells_between(const CellMesh& mesh, const GridDomains& from, const GridDomains& to,
                        int rank) {
  return moves_between(mesh, from, to, rank);
}

CellMoves cells_between(const CellMesh& mesh, const Domains& from, const Domains& to, int rank) {
  return with_boxes(from, [&](const auto& old_boxes) {
    return with_boxes(
        to, [&](const auto& new_boxes) { return moves_between(mesh, old_boxes, new_boxes, rank); });
  });
}

}  // namespace evenkeel
