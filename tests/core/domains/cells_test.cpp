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

// If domains are not boxes, the ranges before and after are around the cells.
template <class From, class To>
void expect_moves(const CellMesh& mesh, const From& from, const To& to, bool are_boxes = true) {
  const std::vector<int> before = owners(mesh, from), after = owners(mesh, to);
  const auto inside = [&](const CellRange& range, const std::vector<int>& owner, int rank) {
    std::int64_t count = 0;
    for_each_cell(mesh, range,
                  [&](const auto&, std::size_t cell) { count += owner[cell] == rank ? 1 : 0; });
    return count;
  };
  const Domains any = from;
  for (int rank = 0; rank < parts_of(any); ++rank) {
    const CellMoves moves = cells_between(mesh, from, to, rank);
    EXPECT_EQ(cells_in(mesh, from, decomposition_of(any).part_of(rank)), moves.before);
    EXPECT_EQ(inside(moves.before, before, rank), std::ranges::count(before, rank));
    EXPECT_EQ(inside(moves.after, after, rank), std::ranges::count(after, rank));
    if (are_boxes) {
      EXPECT_EQ(moves.before.count(), std::ranges::count(before, rank));
      EXPECT_EQ(moves.after.count(), std::ranges::count(after, rank));
    }
    const std::vector<int> gives = others_of(mesh, moves.leaving, before.size());
    const std::vector<int> gets = others_of(mesh, moves.entering, before.size());
    std::vector<CellMoves::Parcel> staying;
    for (const CellRange& range : moves.staying) staying.push_back({rank, range});
    const std::vector<int> keeps = others_of(mesh, staying, before.size());
    for (std::size_t c = 0; c < before.size(); ++c) {
      EXPECT_EQ(gives[c], before[c] == rank && after[c] != rank ? after[c] : -1);
      EXPECT_EQ(gets[c], after[c] == rank && before[c] != rank ? before[c] : -1);
      EXPECT_EQ(keeps[c], before[c] == rank && after[c] == rank ? rank : -1);
    }
    EXPECT_TRUE(std::ranges::is_sorted(moves.leaving, {}, &CellMoves::Parcel::rank));
    for (const CellMoves::Parcel& parcel : moves.leaving) {  // arrives as the same parcels
      std::vector<CellRange> sent, received;
      for (const auto& all : moves.leaving)
        if (all.rank == parcel.rank) sent.push_back(all.cells);
      for (const auto& all : cells_between(mesh, from, to, parcel.rank).entering)
        if (all.rank == rank) received.push_back(all.cells);
      EXPECT_EQ(sent, received);
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

VoronoiDomains random_cells(std::mt19937_64& random, int dimensions, int parts) {
  std::vector<PowerSite> sites(static_cast<std::size_t>(parts));
  // the box is 4 x 2 x 1, and its longest side has 2^21 cells
  for (PowerSite& site : sites)
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
      site.anchor[d] = static_cast<std::int32_t>(random() % ((1U << power_levels) >> d));
  std::vector<int> ranks(sites.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::shuffle(ranks, random);
  return {1, dimensions, box, {}, sites, ranks};
}

TEST(Cells, ThatArePartsOfNoBoxAreRows) {
  std::mt19937_64 random(3);
  for (const int dimensions : {2, 3})
    for (const int parts : {1, 4, 12})
      for (int round = 0; round < 5; ++round) {
        const CellMesh mesh{box, {9, 7, dimensions == 3 ? 5 : 1}};
        const Domains from = random_cells(random, dimensions, parts);
        const Domains to = random_cells(random, dimensions, parts);
        const Domains tree = random_tree(random, {dimensions, {parts, 1, 1}});
        expect_moves(mesh, from, to, false);
        expect_moves(mesh, from, tree, false);
        expect_moves(mesh, tree, to, false);
        expect_moves(mesh, from, from, false);
      }
}

TEST(Cells, OfAMeshOfDomainsAreRows) {
  const auto hexahedra = [](std::int32_t x) {
    constexpr std::int32_t all = 1 << mesh_levels;
    std::vector<MeshVertex> vertices;
    for (const std::int32_t i : {0, 1, 2})
      for (const std::int32_t j : {0, 1})
        for (const std::int32_t k : {0, 1})
          vertices.push_back(
              {i * all / 2 + (i == 1 ? x * (1 + j - k) : 0), j * all / 2, k * all / 4});
    return Domains(MeshDomains(1, {3, {2, 1, 1}}, box, {}, vertices));
  };
  expect_moves(CellMesh{box, {13, 7, 5}}, hexahedra(0), hexahedra(90000), false);
  expect_moves(CellMesh{box, {13, 7, 5}}, hexahedra(-90000), hexahedra(90000), false);
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
  EXPECT_ERROR(cells_in({box, {4, 4, 4}}, curve, 0),
               "core/domains: Cells were asked for, but domains are ranges of a curve or parts of "
               "a graph. Use the method bisection, staggered, tensor, voronoi or mesh.");
}

}  // namespace
}  // namespace evenkeel::cells_test
