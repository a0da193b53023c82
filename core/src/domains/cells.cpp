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

// Boxes own boxes of cells. Other domains own the rows of cells that their owners show.
template <class D>
constexpr bool are_boxes = std::is_same_v<D, GridDomains> || std::is_same_v<D, TreeDomains>;

// Returns the cells in a box, or the cells around a domain that is no box.
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
    if (are_boxes<Boxes> || domain.lower[axis] > domain.upper[axis]) continue;
    // The faces of the box around a domain are rounded.
    range.begin[axis] = std::max<std::int64_t>(range.begin[axis] - 1, 0);
    range.end[axis] = std::min(range.end[axis] + 1, matters ? mesh.cells[axis] : 1);
  }
  return range;
}

// Returns the cells of a range that are a rank's by `from`, as rows along the last axis, each with
// the rank that owns it by `to`. They are sorted by this rank.
template <class From, class To>
std::vector<CellMoves::Parcel> rows(const CellMesh& mesh, const CellRange& range, const From& from,
                                    const To& to, int rank) {
  std::vector<CellMoves::Parcel> parcels;
  const auto dimensions = static_cast<std::size_t>(from.dimensions());
  const std::size_t last = dimensions - 1;
  std::array<std::int64_t, 3> at = range.begin;
  const auto visit_row = [&] {
    std::array<double, 3> place = {};
    for (std::size_t axis = 0; axis < last; ++axis) place[axis] = centre(mesh, axis, at[axis]);
    int before = -1;  // the owner of the cell before, if it is in the last parcel
    for (at[last] = range.begin[last]; at[last] < range.end[last]; ++at[last]) {
      place[last] = centre(mesh, last, at[last]);
      const std::span<const double> point = std::span(place).first(dimensions);
      const int owner = from.owner_of(point) == rank ? to.owner_of(point) : -1;
      if (owner >= 0 && owner != before) {
        CellRange& row = parcels.emplace_back(CellMoves::Parcel{owner, {at, at}}).cells;
        for (std::int64_t& end : row.end) ++end;
      } else if (owner >= 0) {
        ++parcels.back().cells.end[last];
      }
      before = owner;
    }
  };
  if (range.count() > 0)
    for (;;) {
      visit_row();
      std::size_t axis = last;  // go to the next row
      at[last] = range.begin[last];
      while (axis-- > 0 && ++at[axis] == range.end[axis]) at[axis] = range.begin[axis];
      if (axis > last) break;
    }
  std::ranges::stable_sort(parcels, {}, &CellMoves::Parcel::rank);
  return parcels;
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
  if constexpr (are_boxes<From> && are_boxes<To>) {
    moves.leaving = shares(mesh, to, moves.before, from.box_of(before), rank);
    moves.entering = shares(mesh, from, moves.after, to.box_of(after), rank);
    const CellRange both = common(moves.before, moves.after);
    if (both.count() > 0) moves.staying.push_back(both);
  } else {
    for (const CellMoves::Parcel& row : rows(mesh, moves.before, from, to, rank))
      if (row.rank == rank)
        moves.staying.push_back(row.cells);
      else
        moves.leaving.push_back(row);
    moves.entering = rows(mesh, moves.after, to, from, rank);
    std::erase_if(moves.entering, [=](const auto& row) { return row.rank == rank; });
  }
  return moves;
}

// Calls visit(domains) with the actual type of domains that own boxes or rows of cells.
template <class Visit>
auto with_cells(const Domains& domains, const Visit& visit) {
  if (const auto* const grid = std::get_if<GridDomains>(&domains)) return visit(*grid);
  if (const auto* const tree = std::get_if<TreeDomains>(&domains)) return visit(*tree);
  if (const auto* const cells = std::get_if<VoronoiDomains>(&domains)) return visit(*cells);
  if (const auto* const hexahedra = std::get_if<MeshDomains>(&domains)) return visit(*hexahedra);
  if (parts_of(domains) == 0) return visit(GridDomains());
  refuse("Cells were asked for, but domains are ranges of a curve or parts of a graph.",
         "Use the method bisection, staggered, tensor, voronoi or mesh.");
}

}  // namespace

CellRange cells_in(const CellMesh& mesh, const GridDomains& decomposition, int part) {
  check(mesh, decomposition);
  return cells_of(mesh, decomposition, part);
}

CellRange cells_in(const CellMesh& mesh, const Domains& domains, int part) {
  check(mesh, decomposition_of(domains));
  return with_cells(domains, [&](const auto& boxes) { return cells_of(mesh, boxes, part); });
}

CellMoves cells_between(const CellMesh& mesh, const GridDomains& from, const GridDomains& to,
                        int rank) {
  return moves_between(mesh, from, to, rank);
}

CellMoves cells_between(const CellMesh& mesh, const Domains& from, const Domains& to, int rank) {
  return with_cells(from, [&](const auto& old_boxes) {
    return with_cells(
        to, [&](const auto& new_boxes) { return moves_between(mesh, old_boxes, new_boxes, rank); });
  });
}

}  // namespace evenkeel
