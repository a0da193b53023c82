#include "domains/power/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

namespace {

// The rivals that share a leaf with each rival. Each cell has a face only with such rivals.
std::vector<std::vector<int>> sharing_leaves(const PowerCells& cells) {
  std::vector<std::vector<int>> around(cells.rivals().size());
  cells.for_each_leaf([&](const PowerNode& leaf, const LatticeBox&) {
    const std::span<const int> near =
        std::span(cells.list())
            .subspan(static_cast<std::size_t>(leaf.first), static_cast<std::size_t>(leaf.count));
    for (const int one : near)
      for (const int other : near)
        if (one != other) around[static_cast<std::size_t>(one)].push_back(other);
    // many leaves repeat the same rivals
    for (const int one : near) {
      std::vector<int>& its = around[static_cast<std::size_t>(one)];
      if (its.size() < 2 * its.capacity() / 3) continue;
      std::sort(its.begin(), its.end());
      its.erase(std::unique(its.begin(), its.end()), its.end());
    }
  });
  for (std::vector<int>& its : around) {
    std::sort(its.begin(), its.end());
    its.erase(std::unique(its.begin(), its.end()), its.end());
  }
  return around;
}

LatticeBox nothing() {
  constexpr double far = std::numeric_limits<double>::infinity();
  return {{far, far, far}, {-far, -far, -far}};
}

void widen(LatticeBox& box, const LatticeBox& by) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] = std::min(box.first[d], by.first[d]);
    box.last[d] = std::max(box.last[d], by.last[d]);
  }
}

// Shrinks a box of lattice cells to the box around a polyhedron. Rounding may have lost a thin
// polyhedron; then the box stays.
void tighten(LatticeBox& box, const PowerPolyhedron& cell) {
  if (cell.empty()) return;
  const LatticeBox bounds = cell.bounds();
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] = std::max(box.first[d], std::floor(bounds.first[d]) - 1);
    box.last[d] = std::min(box.last[d], std::ceil(bounds.last[d]) + 1);
  }
}

}  // namespace

const PowerShapes::Pieces& PowerShapes::pieces() const {
  std::call_once(is_made_, [&] { make_pieces(pieces_); });
  return pieces_;
}

void PowerShapes::make_pieces(Pieces& all) const {
  const std::vector<PowerRival>& rivals = cells_.rivals();
  const std::vector<std::vector<int>> around = sharing_leaves(cells_);
  std::vector<LatticeBox> boxes(rivals.size(), nothing());
  cells_.for_each_leaf([&](const PowerNode& leaf, const LatticeBox& box) {
    for (int i = 0; i < leaf.count; ++i)
      widen(
          boxes[static_cast<std::size_t>(cells_.list()[static_cast<std::size_t>(leaf.first + i)])],
          box);
  });
  Pieces made;
  for (std::size_t r = 0; r < rivals.size(); ++r) {
    if (boxes[r].last[0] < boxes[r].first[0]) continue;
    while (std::ssize(made.first_piece) <= rivals[r].part)
      made.first_piece.push_back(static_cast<int>(made.pieces.size()));
    made.first_around.push_back(static_cast<int>(made.around.size()));
    made.pieces.push_back(rivals[r]);
    made.boxes.push_back(boxes[r]);
    for (const int other : around[r])
      made.around.push_back(rivals[static_cast<std::size_t>(other)]);
  }
  while (made.first_piece.size() <= parts_)
    made.first_piece.push_back(static_cast<int>(made.pieces.size()));
  made.first_around.push_back(static_cast<int>(made.around.size()));
  for (std::size_t piece = 0; piece < made.pieces.size(); ++piece)
    tighten(made.boxes[piece], polyhedron_of(made, static_cast<int>(piece)));
  all = std::move(made);
}

PowerPolyhedron PowerShapes::polyhedron_of(const Pieces& all, int piece) const {
  LatticeBox whole{{}, {1, 1, 1}};
  for (int axis = 0; axis < lattice_.dimensions(); ++axis)
    whole.last[static_cast<std::size_t>(axis)] = lattice_.last_coordinate(axis) + 1.0;
  PowerPolyhedron cell(whole);
  const auto p = static_cast<std::size_t>(piece);
  for (int i = all.first_around[p]; i < all.first_around[p + 1] && !cell.empty(); ++i)
    cell.clip(all.pieces[p], all.around[static_cast<std::size_t>(i)], i);
  return cell;
}

LatticeBox PowerShapes::box_of(int part) const {
  const Pieces& all = pieces();
  LatticeBox box = nothing();
  const auto p = static_cast<std::size_t>(part);
  for (int piece = all.first_piece[p]; piece < all.first_piece[p + 1]; ++piece)
    widen(box, all.boxes[static_cast<std::size_t>(piece)]);
  return box;
}

}  // namespace evenkeel
