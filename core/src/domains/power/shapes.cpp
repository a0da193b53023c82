#include "domains/power/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

namespace {

// The rivals that share a leaf with each rival. Each cell has a face only with such rivals.
std::vector<std::vector<int>> sharing_leaves(const PowerCells& cells) {
  std::vector<std::vector<int>> around(cells.rivals().size());
  cells.octree().for_each_leaf([&](const OctreeNode& leaf, const LatticeBox&) {
    const std::span<const int> near = cells.octree().numbers_in(leaf);
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
  cells_.octree().for_each_leaf([&](const OctreeNode& leaf, const LatticeBox& box) {
    for (const int rival : cells_.octree().numbers_in(leaf))
      widen(boxes[static_cast<std::size_t>(rival)], box);
  });
  Pieces made;
  for (std::size_t r = 0; r < rivals.size(); ++r) {
    if (boxes[r].last[0] < boxes[r].first[0]) continue;
    std::vector<PowerRival> its;
    for (const int other : around[r]) its.push_back(rivals[static_cast<std::size_t>(other)]);
    tighten(boxes[r], polyhedron_of(rivals[r], its));
    if (!owns_places(rivals[r], its, boxes[r])) continue;
    while (std::ssize(made.first_piece) <= rivals[r].part)
      made.first_piece.push_back(static_cast<int>(made.pieces.size()));
    made.first_around.push_back(static_cast<int>(made.around.size()));
    made.pieces.push_back(rivals[r]);
    made.boxes.push_back(boxes[r]);
    made.around.insert(made.around.end(), its.begin(), its.end());
  }
  while (made.first_piece.size() <= parts_)
    made.first_piece.push_back(static_cast<int>(made.pieces.size()));
  made.first_around.push_back(static_cast<int>(made.around.size()));
  all = std::move(made);
}

// Many leaves name a rival of which its neighbours take all places.
bool PowerShapes::owns_places(const PowerRival& rival, const std::vector<PowerRival>& around,
                              const LatticeBox& box) const {
  const int first_piece[] = {0, 1}, first_around[] = {0, static_cast<int>(around.size())};
  const CellsMeeting meets{&rival, first_piece, around.data(), first_around, lattice_.dimensions()};
  return meets(0, box.first.data(), box.last.data());
}

PowerPolyhedron PowerShapes::polyhedron_of(const PowerRival& own,
                                           std::span<const PowerRival> around) const {
  LatticeBox whole{{}, {1, 1, 1}};
  for (int axis = 0; axis < lattice_.dimensions(); ++axis)
    whole.last[static_cast<std::size_t>(axis)] = lattice_.last_coordinate(axis) + 1.0;
  PowerPolyhedron cell(whole);
  for (std::size_t i = 0; i < around.size() && !cell.empty(); ++i)
    cell.clip(own, around[i], static_cast<int>(i));
  return cell;
}

std::vector<std::pair<int, double>> PowerShapes::touching(int part) const {
  std::vector<std::pair<int, double>> found;
  const std::vector<PowerRival>& rivals = cells_.rivals();
  // The image that is in the box is in the middle of all images. Its cell may leave the box.
  const std::size_t images = rivals.size() / parts_;
  const PowerRival& own = rivals[static_cast<std::size_t>(part) * images + images / 2];
  LatticeBox room{{}, {1, 1, 1}};
  for (int axis = 0; axis < lattice_.dimensions(); ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const double period = lattice_.last_coordinate(axis) + 1.0;
    room.last[d] = period;
    if (!lattice_.wraps(axis)) continue;
    room.first[d] = own.twice[d] / 2 - period;
    room.last[d] = own.twice[d] / 2 + period;
  }
  PowerPolyhedron cell(room);
  for (std::size_t i = 0; i < rivals.size() && !cell.empty(); ++i)
    if (&rivals[i] != &own) cell.clip(own, rivals[i], static_cast<int>(i));
  for (const PowerPolyhedron::Face& face : cell.faces())
    if (face.behind != PowerPolyhedron::wall)
      found.emplace_back(rivals[static_cast<std::size_t>(face.behind)].part, area_of(face.corners));
  for (const PowerRival& rival : rivals)
    if (rival.part != part && cell.touches(own, rival)) found.emplace_back(rival.part, 0);
  return found;
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
