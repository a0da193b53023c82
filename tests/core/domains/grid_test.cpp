#include "core/domains/asking.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::grid_test {
namespace {

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr GridScheme schemes[] = {GridScheme::tensor, GridScheme::staggered};

// --- Random grids --------------------------------------------------------------------------------

// Draws an order of the axes.
std::array<int, 3> random_axes(int dimensions, test::Random& random) {
  std::array<int, 3> axes = {0, 1, 2};
  std::shuffle(axes.begin(), axes.begin() + dimensions, random);
  return axes;
}

GridShape random_shape(int dimensions, test::Random& random) {
  GridShape shape{dimensions, {1, 1, 1}};
  constexpr int most[] = {12, 6, 4};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    shape.extents[d] = 1 + test::below(most[dimensions - 1], random);
  constexpr int primes[] = {2, 7, 13};
  if (test::below(6, random) == 0)  // all along one axis
    shape = factored(primes[test::below(3, random)], dimensions);
  return shape;
}

GridDomains random_grid(int dimensions, test::Random& random) {
  const GridShape shape = random_shape(dimensions, random);
  const test::Room room = test::random_room(dimensions, random);
  const GridScheme scheme = schemes[test::below(2, random)];
  GridBorders borders =
      test::random_grid_borders(shape, room.box, scheme, random_axes(dimensions, random), random);
  return GridDomains(1, shape, room.box, room.periodic, std::move(borders),
                     test::random_ranks(shape.parts(), random));
}

// If the box is flat along an axis, the first domains along this axis own all places.
auto first_along_flat_axes(const GridDomains& grid) {
  return [&grid](std::vector<int> parts) {
    std::erase_if(parts, [&](int part) {
      for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions()); ++d)
        if (test::is_flat(grid.box(), d) && grid.shape().at(part)[d] != 0) return true;
      return false;
    });
    return parts;
  };
}

TEST(GridDomains, EveryPointHasOneOwner) {
  test::Random random(1);
  for (const int dimensions : {1, 2, 3})
    for (int repeat = 0; repeat < 200; ++repeat) {
      const GridDomains grid = random_grid(dimensions, random);
      test::expect_owners(grid, first_along_flat_axes(grid), 100, random);
      if (HasFatalFailure()) return;
    }
}

TEST(GridDomains, RanksWithinAreTheOwnersOfAllPoints) {
  test::Random random(2);
  for (const int dimensions : {1, 2, 3})
    for (int repeat = 0; repeat < 150; ++repeat) {
      const GridDomains grid = random_grid(dimensions, random);
      for (int boxes = 0; boxes < 5; ++boxes) test::expect_ranks_within(grid, random);
      if (HasFatalFailure()) return;
    }
}

TEST(GridDomains, PartsOfObjects) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    test::Random random(3);
    for (const int dimensions : {2, 3})
      for (int repeat = 0; repeat < 10; ++repeat) {
        const GridDomains grid = random_grid(dimensions, random);
        test::expect_all_parts(instance, grid, grid.part_of_point(), random);
      }
  });
}

// --- By hand -------------------------------------------------------------------------------------

TEST(GridDomains, UsualAxes) {
  EXPECT_EQ(usual_axes(1), (std::array{0, 1, 2}));
  EXPECT_EQ(usual_axes(2), (std::array{1, 0, 2}));
  EXPECT_EQ(usual_axes(3), (std::array{2, 1, 0}));
  EXPECT_STREQ(name_of(GridScheme::tensor), "tensor");
  EXPECT_STREQ(name_of(GridScheme::staggered), "staggered");
}

// There are two rows along y. The lower one has a border at x = 1/4, the upper one at x = 3/4.
GridDomains bricks() {
  const GridBorders borders{
      GridScheme::staggered, {1, 0, 2}, {{{0, 0.5, 1}, {0, 0.25, 1, 0, 0.75, 1}, {}}}};
  return GridDomains(7, {2, {2, 2, 1}}, unit, {false, true, false}, borders, {3, 2, 1, 0});
}

TEST(GridDomains, Staggered) {
  const GridDomains grid = bricks();
  EXPECT_EQ(grid.generation(), 7);
  EXPECT_EQ(grid.parts(), 4);
  EXPECT_EQ(grid.dimensions(), 2);
  EXPECT_EQ(grid.rank_of(1), 2);
  for (int part = 0; part < 4; ++part) EXPECT_EQ(grid.part_of(grid.rank_of(part)), part);
  EXPECT_EQ(grid.periodic(), (std::array<bool, 3>{false, true, false}));
  EXPECT_EQ(grid.box_of(0), (Box{{0, 0, 0}, {0.25, 0.5, 1}}));
  EXPECT_EQ(grid.box_of(1), (Box{{0, 0.5, 0}, {0.75, 1, 1}}));
  EXPECT_EQ(grid.box_of(2), (Box{{0.25, 0, 0}, {1, 0.5, 1}}));
  EXPECT_EQ(grid.box_of(3), (Box{{0.75, 0.5, 0}, {1, 1, 1}}));
  EXPECT_EQ(grid.owner_of(std::array{0.1, 0.1}), 3);
  EXPECT_EQ(grid.owner_of(std::array{0.1, 0.5}), 2);
  EXPECT_EQ(grid.owner_of(std::array{0.25, 0.1}), 1);
  EXPECT_EQ(grid.owner_of(std::array{1.0, 0.9}), 0);
  EXPECT_EQ(grid.owner_of(std::array{-5.0, 1.25}), 3) << "wraps in y";
  EXPECT_EQ(grid.owner_of(std::array{0.5, 1.0}), 1) << "the lower face again";
  EXPECT_EQ(grid.ranks_within({{0.5, 0.25, 0}, {0.5, 0.25, 0}}, 0.125), (std::vector{1}));
  EXPECT_EQ(grid.ranks_within({{0.5, 0.25, 0}, {0.5, 0.25, 0}}, 0.25), (std::vector{0, 1, 2}));
  EXPECT_EQ(grid.ranks_within({{0.8, 0, 0}, {0.8, 0, 0}}, 0.0625), (std::vector{0, 1, 2}));
}

TEST(GridDomains, TensorBordersGoThrough) {
  const GridBorders borders{
      GridScheme::tensor, {0, 2, 1}, {{{0, 0.5, 1}, {0, 0.25, 1}, {0, 0.125, 0.25, 1}}}};
  const GridDomains grid(1, {3, {2, 3, 2}}, unit, {}, borders);
  for (int part = 0; part < 12; ++part) {
    const auto [i, j, k] = grid.shape().at(part);
    constexpr double y[] = {0, 0.125, 0.25, 1}, z[] = {0, 0.25, 1};
    EXPECT_EQ(grid.box_of(part), (Box{{i * 0.5, y[j], z[k]}, {i * 0.5 + 0.5, y[j + 1], z[k + 1]}}));
    EXPECT_EQ(grid.owner_of(grid.box_of(part).lower), part);
  }
}

// The last domain with an extent owns the place. If the box itself has no extent, the first domain
// owns it.
TEST(GridDomains, DomainsWithoutExtent) {
  const auto owner = [](std::vector<double> borders, double place) {
    const Box box = {{borders.front(), 0, 0}, {borders.back(), 0, 0}};
    const int parts = static_cast<int>(borders.size()) - 1;
    const GridBorders all{GridScheme::tensor, {0, 1, 2}, {{std::move(borders), {}, {}}}};
    return GridDomains(1, {1, {parts, 1, 1}}, box, {}, all).owner_of(std::array{place});
  };
  EXPECT_EQ(owner({0, 0, 0, 1, 1, 1}, 0), 2);
  EXPECT_EQ(owner({0, 0, 0, 1, 1, 1}, -1), 2);
  EXPECT_EQ(owner({0, 0, 0, 1, 1, 1}, 1), 2);
  EXPECT_EQ(owner({0, 0, 0, 1, 1, 1}, 2), 2);
  EXPECT_EQ(owner({0, 0.5, 0.5, 1}, 0.5), 2);
  EXPECT_EQ(owner({3, 3, 3, 3}, 2), 0);
  EXPECT_EQ(owner({3, 3, 3, 3}, 3), 0);
  EXPECT_EQ(owner({3, 3, 3, 3}, 4), 0);
}

TEST(GridDomains, Uniform) {
  const Box box = {{-1, 0, 2}, {1, 3, 2.5}};
  for (const GridScheme scheme : schemes)
    for (const Box& around : {box, Box{{0, 0, 0}, {0, 0, 0}}}) {
      const auto grid = GridDomains::uniform({3, {2, 3, 5}}, around, scheme);
      EXPECT_EQ(grid.generation(), 1);
      EXPECT_EQ(grid.borders().axes, usual_axes(3));
      for (int part = 0; part < grid.parts(); ++part)
        for (std::size_t d = 0; d < 3; ++d) {
          const Box domain = grid.box_of(part);
          const double side = (around.upper[d] - around.lower[d]) / grid.shape().extents[d];
          const int at = grid.shape().at(part)[d];
          EXPECT_NEAR(domain.lower[d], around.lower[d] + at * side, 1e-15);
          EXPECT_NEAR(domain.upper[d], around.lower[d] + (at + 1) * side, 1e-15);
        }
    }
}

TEST(GridDomains, OfTheGreatestNumbers) {
  constexpr double most = std::numeric_limits<double>::max();
  for (const bool periodic : {false, true}) {
    const auto grid = GridDomains::uniform({1, {4, 1, 1}}, {{-most, 0, 0}, {most, 0, 0}},
                                           GridScheme::tensor, {periodic, false, false});
    EXPECT_EQ(grid.owner_of(std::array{-1.0}), 1);
    EXPECT_EQ(grid.owner_of(std::array{1.0}), 2);
    EXPECT_EQ(grid.owner_of(std::array{most}), periodic ? 0 : 3);
    EXPECT_EQ(grid.ranks_within({{-most, 0, 0}, {most, 0, 0}}, most), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(grid.ranks_within({{1, 0, 0}, {2, 0, 0}}, 1), (std::vector{2}));
  }
}

TEST(GridDomains, FarAwayOnAPeriodicAxis) {
  const auto grid = GridDomains::uniform({1, {4, 1, 1}}, unit, GridScheme::tensor, {true});
  for (const double far : {1e10, -1e10, 1e15}) {
    EXPECT_EQ(grid.ranks_within({{far, 0, 0}, {far, 0, 0}}, 0), (std::vector{0}));
    EXPECT_EQ(grid.ranks_within({{far, 0, 0}, {far, 0, 0}}, 0.125), (std::vector{0, 3}));
  }
  for (const double far : {1e17, -1e300}) {
    const int owner = grid.owner_of(std::array{far});
    EXPECT_EQ(grid.ranks_within({{far, 0, 0}, {far, 0, 0}}, 0), (std::vector{owner}));
    const double next = std::nextafter(far, 0.0);
    const Box around = {{std::min(far, next), 0, 0}, {std::max(far, next), 0, 0}};
    EXPECT_EQ(grid.ranks_within(around, 0), (std::vector{0, 1, 2, 3}));
  }
}

// --- Misuse --------------------------------------------------------------------------------------

TEST(GridDomains, Misuse) {
  test::expect_refusals(GridDomains::uniform({3, {2, 2, 2}}, unit, GridScheme::tensor));
}

TEST(GridDomains, ShapesAndBoxesThatMakeNoSense) {
  const auto make = [](const GridShape& shape, const Box& box,
                       const std::array<bool, 3>& periodic) {
    GridDomains::uniform(shape, box, GridScheme::staggered, periodic);
  };
  const double nan = std::nan("");
  EXPECT_ERROR(make({4, {1, 1, 1}}, unit, {}), "core/domains: A grid of 4 dimensions");
  EXPECT_ERROR(make({3, {1, 0, 1}}, unit, {}), "core/domains: A grid of 1 x 0 x 1 domains");
  EXPECT_ERROR(make({3, {1, 2, 1}}, {{0, 1, 0}, {1, 0, 1}}, {}),
               "The box goes from 1 to 0 along y");
  EXPECT_ERROR(make({1, {3, 1, 1}}, {{nan, 0, 0}, {1, 1, 1}}, {}), "The box goes from nan");
  EXPECT_ERROR(make({1, {3, 1, 1}}, {{1, 0, 0}, {1, 1, 1}}, {true}), "flat along x, which is peri");
  EXPECT_NO_THROW(make({1, {3, 1, 1}}, {{0, 1, nan}, {1, 1, 0}}, {false, true, true}));
}

GridDomains with(const GridBorders& borders, std::vector<int> ranks = {}) {
  return GridDomains(1, {2, {2, 3, 1}}, unit, {}, borders, std::move(ranks));
}

TEST(GridDomains, BordersThatMakeNoSense) {
  const std::vector<double> two = {0, 0.5, 1}, three = {0, 0.25, 0.5, 1};
  const auto tensor = [&](const std::array<int, 3>& axes, const std::vector<double>& first,
                          const std::vector<double>& second) {
    return GridBorders{GridScheme::tensor, axes, {{first, second, {}}}};
  };
  EXPECT_NO_THROW(with(tensor({0, 1, 2}, two, three)));
  EXPECT_NO_THROW(with(tensor({1, 0, 2}, three, two)));
  for (const std::array<int, 3>& axes : {std::array{0, 0, 2}, {0, 2, 1}, {2, 1, 0}, {0, 1, 3}})
    EXPECT_ERROR(with(tensor(axes, two, three)),
                 "core/domains: The axes of the grid are not in a valid order");
  EXPECT_ERROR(with(tensor({0, 1, 2}, three, two)),
               "core/domains: Level 0 has 4 borders, but 1 rows of 3 are needed.");
  EXPECT_ERROR(with({GridScheme::staggered, {0, 1, 2}, {{two, three, {}}}}),
               "Level 1 has 4 borders, but 2 rows of 4 are needed.");
  EXPECT_ERROR(with({GridScheme::tensor, {0, 1, 2}, {{two, three, {0, 1}}}}),
               "Level 2 has 2 borders, but 0 are needed.");
  const double nan = std::nan("");
  for (const std::vector<double>& row : {std::vector{0.1, 0.5, 1.0},
                                         {0.0, 0.5, 0.9},
                                         {0.0, 1.5, 1.0},
                                         {0.0, nan, 1.0},
                                         {nan, 0.5, 1.0}})
    EXPECT_ERROR(with(tensor({0, 1, 2}, row, three)),
                 "core/domains: A row of borders on level 0 does not divide the box.");
}

TEST(GridDomains, RanksThatAreNoPermutation) {
  const GridBorders borders{GridScheme::tensor, {0, 1, 2}, {{{0, 0.5, 1}, {0, 0.25, 0.5, 1}, {}}}};
  EXPECT_NO_THROW(with(borders, {5, 4, 3, 2, 1, 0}));
  for (const std::vector<int>& ranks :
       {std::vector{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 4}, {0, 1, 2, 3, 4, 6}, {-1, 1, 2, 3, 4, 5}})
    EXPECT_ERROR(with(borders, ranks), "core/domains: The ranks do not own one part each.");
}

TEST(GridDomains, RanksWithoutAPart) {
  const GridDomains plain = GridDomains::uniform({2, {2, 2, 1}}, unit, {});
  EXPECT_EQ(plain.part_of(3), 3);
  for (const GridDomains& grid : {plain, bricks()})
    for (const int rank : {-1, 4})
      EXPECT_ERROR(grid.part_of(rank),
                   "core/domains: Rank " + std::to_string(rank) + " owns no domain.");
}

TEST(Neighbours, TouchAtFacesEdgesAndCorners) {
  const Box box = {{0, 0, 0}, {3, 3, 3}};
  const GridShape shape{2, {3, 3, 1}};
  const auto grid = GridDomains::uniform(shape, box, GridScheme::tensor);
  EXPECT_EQ(neighbours_of(grid, 4), (std::vector<int>{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(neighbours_of(grid, 0), (std::vector<int>{1, 3, 4}));
  const auto wrapped = GridDomains::uniform(shape, box, GridScheme::tensor, {false, true, false});
  EXPECT_EQ(neighbours_of(wrapped, 0), (std::vector<int>{1, 2, 3, 4, 5}));
  // The grid has a column of two domains beside a column of three.
  const GridDomains staggered(
      1, {2, {2, 3, 1}}, box, {},
      {GridScheme::staggered,
       {0, 1, 2},
       {std::vector<double>{0, 1, 3}, std::vector<double>{0, 1, 2, 3, 0, 0.5, 0.75, 3}, {}}});
  EXPECT_EQ(neighbours_of(staggered, 0), (std::vector<int>{1, 3, 4, 5}));
  EXPECT_EQ(neighbours_of(staggered, 2), (std::vector<int>{1, 5}));
}

}  // namespace
}  // namespace evenkeel::grid_test
