#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains.hpp>

namespace evenkeel::cells_test {
namespace {

constexpr Box box = {{0, -1, 2}, {4, 1, 3}};

GridDomains random_grid(std::mt19937_64& random, const GridShape& shape, GridScheme scheme) {
  GridBorders borders;
  borders.scheme = scheme;
  borders.axes = usual_axes(shape.dimensions);
  std::size_t rows = 1;
  for (std::size_t depth = 0; depth < static_cast<std::size_t>(shape.dimensions); ++depth) {
    const auto axis = static_cast<std::size_t>(borders.axes[depth]);
    std::uniform_real_distribution<double> place(box.lower[axis], box.upper[axis]);
    for (std::size_t row = 0; row < (scheme == GridScheme::tensor ? 1 : rows); ++row) {
      std::vector<double> inner;
      for (int b = 1; b < shape.extents[axis]; ++b) inner.push_back(place(random));
      std::sort(inner.begin(), inner.end());
      borders.levels[depth].push_back(box.lower[axis]);
      borders.levels[depth].insert(borders.levels[depth].end(), inner.begin(), inner.end());
      borders.levels[depth].push_back(box.upper[axis]);
    }
    rows *= static_cast<std::size_t>(shape.extents[axis]);
  }
  return GridDomains(1, shape, box, {}, borders);
}

void divide(std::mt19937_64& random, int parts, int first, Box inside, int dimensions,
            std::vector<Bisection>& nodes) {
  if (parts == 1) return;
  const int axis = static_cast<int>(random() % static_cast<unsigned>(dimensions));
  const auto a = static_cast<std::size_t>(axis);
  std::uniform_real_distribution<double> place(inside.lower[a], inside.upper[a]);
  const int below = 1 + static_cast<int>(random() % static_cast<unsigned>(parts - 1));
  const double border = place(random);
  nodes.push_back({border, axis, first + below});
  Box lower = inside, upper = inside;
  lower.upper[a] = upper.lower[a] = border;
  divide(random, below, first, lower, dimensions, nodes);
  divide(random, parts - below, first + below, upper, dimensions, nodes);
}

TreeDomains random_tree(std::mt19937_64& random, const GridShape& shape) {
  std::vector<Bisection> nodes;
  divide(random, shape.parts(), 0, box, shape.dimensions, nodes);
  return TreeDomains(1, shape.dimensions, box, {}, nodes);
}

// Calls visit(at, number) for each cell of a range, in the order of the mesh.
template <class Visit>
void for_each_cell(const CellMesh& mesh, const CellRange& range, const Visit& visit) {
  std::array<std::int64_t, 3> at = {};
  for (at[0] = range.begin[0]; at[0] < range.end[0]; ++at[0])
    for (at[1] = range.begin[1]; at[1] < range.end[1]; ++at[1])
      for (at[2] = range.begin[2]; at[2] < range.end[2]; ++at[2])
        visit(at,
              static_cast<std::size_t>((at[0] * mesh.cells[1] + at[1]) * mesh.cells[2] + at[2]));
}

// The rank that owns the centre of each cell, in the order of the cells.
std::vector<int> owners(const CellMesh& mesh, const Domains& domains) {
  std::vector<int> ranks;
  const auto dimensions = static_cast<std::size_t>(dimensions_of(domains));
  for_each_cell(mesh, {{}, mesh.cells}, [&](const std::array<std::int64_t, 3>& at, std::size_t) {
    std::array<double, 3> centre = {};
    for (std::size_t axis = 0; axis < dimensions; ++axis)
      centre[axis] = box.lower[axis] + (static_cast<double>(at[axis]) + 0.5) *
                                           (box.upper[axis] - box.lower[axis]) /
                                           static_cast<double>(mesh.cells[axis]);
    ranks.push_back(owner_of(domains, std::span(centre).first(dimensions)));
  });
  return ranks;
}

// For each cell in these parcels, the other rank; for other cells, -1.
std::vector<int> others_of(const CellMesh& mesh, const std::vector<CellMoves::Parcel>& parcels,
                           std::size_t cells) {
  std::vector<int> others(cells, -1);
  for (const CellMoves::Parcel& parcel : parcels)
    for_each_cell(mesh, parcel.cells, [&](const auto&, std::size_t cell) {
      EXPECT_EQ(others[cell], -1) << "twice";
      others[cell] = parcel.rank;
    });
  return others;
}

template <class From, class To>
void expect_moves(const CellMesh& mesh, const From& from, const To& to) {
  const std::vector<int> before = owners(mesh, from), after = owners(mesh, to);
  for (int rank = 0; rank < from.parts(); ++rank) {
    const CellMoves moves = cells_between(mesh, from, to, rank);
    EXPECT_EQ(cells_in(mesh, from, rank), moves.before);
    EXPECT_EQ(moves.before.count(), std::ranges::count(before, rank));
    EXPECT_EQ(moves.after.count(), std::ranges::count(after, rank));
    const std::vector<int> gives = others_of(mesh, moves.leaving, before.size());
    const std::vector<int> gets = others_of(mesh, moves.entering, before.size());
    for (std::size_t c = 0; c < before.size(); ++c) {
      EXPECT_EQ(gives[c], before[c] == rank && after[c] != rank ? after[c] : -1);
      EXPECT_EQ(gets[c], after[c] == rank && before[c] != rank ? before[c] : -1);
    }
  }
}

TEST(Cells, GoFromTheirOldOwnersToTheirNewOnes) {
  std::mt19937_64 random(2);
  for (const GridShape& shape : {GridShape{3, {3, 2, 4}}, GridShape{2, {3, 4, 1}},
                                 GridShape{1, {7, 1, 1}}, GridShape{3, {1, 1, 1}}})
    for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered})
      for (int round = 0; round < 20; ++round) {
        CellMesh mesh{box, {7, 1, 1}};
        if (shape.dimensions > 1) mesh.cells[1] = 9;
        if (shape.dimensions > 2) mesh.cells[2] = 5;
        const GridDomains from = random_grid(random, shape, scheme);
        const GridDomains to = random_grid(random, shape, scheme);
        const TreeDomains tree = random_tree(random, shape);
        expect_moves(mesh, from, to);
        expect_moves(mesh, tree, random_tree(random, shape));
        expect_moves(mesh, from, tree);
        expect_moves(mesh, tree, from);
      }
}

TEST(Cells, MisuseIsAnError) {
  const GridShape shape{3, {2, 1, 1}};
  const auto grid = GridDomains::uniform(shape, box, GridScheme::tensor);
  EXPECT_ERROR(cells_between({box, {0, 1, 1}}, grid, grid, 0), "A mesh has 0 cells along x.");
  EXPECT_ERROR(cells_between({{}, {1, 1, 1}}, grid, grid, 0), "different boxes");
  EXPECT_ERROR(cells_between({box, {4, 4, 4}}, grid, grid, 2), "Rank 2 owns no domain.");
  EXPECT_ERROR(cells_between({box, {4, 4, 4}}, grid, {}, 0), "has no domains yet.");
  const Domains none, curve = CurveDomains(1, 3, box, {}, {{0}, end_of_curve(3)});
  EXPECT_ERROR(cells_between({box, {4, 4, 4}}, Domains(grid), none, 0), "has no domains yet.");
  EXPECT_ERROR(cells_in({box, {4, 4, 4}}, curve, 0), "domains are not boxes");
}

}  // namespace
}  // namespace evenkeel::cells_test
