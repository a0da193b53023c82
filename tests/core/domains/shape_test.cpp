#include <evenkeel/core/domains/grid.hpp>

#include "support/harness.hpp"

namespace evenkeel::shape_test {
namespace {

using Extents = std::array<int, 3>;
using Sides = std::array<double, 3>;

// --- GridShape -----------------------------------------------------------------------------------

// Given extents stay. The other extents are chosen as for a grid of these axes alone.
TEST(ShapeWith, ChoosesWhatIsNotGiven) {
  const Box cube{{0, 0, 0}, {1, 1, 1}}, flat{{0, 0, 0}, {8, 1, 4}};
  const auto extents_of = [](const std::array<int, 3>& given, int parts, int dimensions,
                             const Box& box) {
    return shape_with(given, parts, dimensions, box).extents;
  };
  EXPECT_EQ(extents_of({0, 0, 0}, 8, 3, cube), (Extents{2, 2, 2}));
  EXPECT_EQ(extents_of({0, 0, 0}, 32, 3, flat), factored(32, 3, {8, 1, 4}).extents);
  EXPECT_EQ(extents_of({0, 0, 1}, 12, 3, flat), (Extents{12, 1, 1}));
  EXPECT_EQ(extents_of({0, 3, 0}, 24, 3, flat), (Extents{4, 3, 2}));
  EXPECT_EQ(extents_of({4, 0, 0}, 4, 3, cube), (Extents{4, 1, 1}));
  EXPECT_EQ(extents_of({2, 3, 2}, 12, 3, cube), (Extents{2, 3, 2}));
  EXPECT_EQ(extents_of({0, 5, 0}, 10, 2, cube), (Extents{2, 5, 1})) << "the plane has two axes";
  EXPECT_EQ(extents_of({0, 5, 1}, 10, 2, cube), (Extents{2, 5, 1}));
  EXPECT_EQ(extents_of({7, 0, 0}, 7, 1, cube), (Extents{7, 1, 1}));
}

TEST(ShapeWith, RefusesWhatCannotBe) {
  const Box cube{{0, 0, 0}, {1, 1, 1}};
  const auto refusal = [&](const std::array<int, 3>& given, int parts, int dimensions) {
    return test::error_of([&] { shape_with(given, parts, dimensions, cube); });
  };
  EXPECT_MENTIONS(refusal({2, 2, 1}, 6, 3), "2 x 2 x 1 domains was asked for, but there are 6");
  EXPECT_MENTIONS(refusal({4, 0, 0}, 6, 3), "whose product divides the number");
  EXPECT_MENTIONS(refusal({-1, 0, 0}, 6, 3), "Give each axis one domain or more.");
  EXPECT_MENTIONS(refusal({1, 1, 2}, 2, 2), "An axis beyond the dimensions must have 1 domain.");
  EXPECT_MENTIONS(refusal({0, 0, 0}, 0, 3), "but there are 0 parts");
  EXPECT_MENTIONS(refusal({0, 0, 0}, 4, 4), "Use 1, 2 or 3 dimensions.");
}

TEST(GridShape, NumbersPartsWithTheLastAxisFastest) {
  const GridShape shape{3, {2, 3, 4}};
  EXPECT_EQ(shape.parts(), 24);
  int part = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k, ++part) {
        EXPECT_EQ(shape.part_at({i, j, k}), part);
        EXPECT_EQ(shape.at(part), (Extents{i, j, k}));
      }
}

TEST(GridShape, Misuse) {
  for (const int dimensions : {-1, 0, 4})
    EXPECT_ERROR(check(GridShape{dimensions, {1, 1, 1}}),
                 "core/domains: A grid of " + std::to_string(dimensions) + " dimensions");
  for (const int extent : {0, -3})
    EXPECT_ERROR(check(GridShape{3, {2, extent, 2}}), "Give each axis one domain or more.");
  EXPECT_ERROR(check(GridShape{2, {2, 2, 5}}), "A grid of 2 dimensions has 5 domains along axis 2");
  EXPECT_ERROR(check(GridShape{3, {1 << 16, 1 << 15, 1}}), "more than can be counted");
  EXPECT_ERROR(check(GridShape{3, {1 << 30, 1 << 30, 1 << 30}}), "more than can be counted");
  EXPECT_NO_THROW(check(GridShape{1, {std::numeric_limits<int>::max(), 1, 1}}));
  EXPECT_NO_THROW(check(GridShape{3, {1, 1, 7}}));
}

// --- factored ------------------------------------------------------------------------------------

TEST(Factored, ByHand) {
  EXPECT_EQ(factored(1, 3), (GridShape{3, {1, 1, 1}}));
  EXPECT_EQ(factored(8, 3), (GridShape{3, {2, 2, 2}}));
  EXPECT_EQ(factored(12, 3), (GridShape{3, {2, 2, 3}}));
  EXPECT_EQ(factored(12, 2), (GridShape{2, {3, 4, 1}}));
  EXPECT_EQ(factored(12, 1), (GridShape{1, {12, 1, 1}}));
  EXPECT_EQ(factored(7, 3), (GridShape{3, {1, 1, 7}})) << "of equals the last axis";
  EXPECT_EQ(factored(7, 3, {3, 1, 1}), (GridShape{3, {7, 1, 1}})) << "the longest side";
  EXPECT_EQ(factored(16, 2, {4, 1, 0}), (GridShape{2, {8, 2, 1}}));
  EXPECT_EQ(factored(64, 3, {1, 1, 4}), (GridShape{3, {2, 2, 16}}));
}

TEST(Factored, FlatSidesAreNotDivided) {
  EXPECT_EQ(factored(6, 3, {1, 1, 0}), (GridShape{3, {2, 3, 1}}));
  EXPECT_EQ(factored(6, 3, {0, 2, 0}), (GridShape{3, {1, 6, 1}}));
  EXPECT_EQ(factored(6, 2, {1, 0, 9}), (GridShape{2, {6, 1, 1}}));
  EXPECT_EQ(factored(6, 3, {1e200, 1e-200, 1e200}), (GridShape{3, {2, 1, 3}}));
  for (const int dimensions : {1, 2, 3})
    EXPECT_EQ(factored(30, dimensions, {0, 0, 0}), factored(30, dimensions)) << "all the same";
}

// The area of all faces between parts inside a box.
double area(const Extents& extents, int dimensions, const Sides& sides) {
  double sum = 0;
  for (int axis = 0; axis < dimensions; ++axis) {
    double face = extents[static_cast<std::size_t>(axis)] - 1;
    for (int other = 0; other < dimensions; ++other)
      if (other != axis) face *= sides[static_cast<std::size_t>(other)];
    sum += face;
  }
  return sum;
}

void expect_least_area(int parts, int dimensions, const Sides& sides) {
  const GridShape found = factored(parts, dimensions, sides);
  SCOPED_TRACE(std::to_string(parts) + " parts in " + std::to_string(dimensions) + "-D");
  ASSERT_EQ(found.parts(), parts);
  ASSERT_EQ(found.dimensions, dimensions);
  ASSERT_NO_THROW(check(found));
  const double least = area(found.extents, dimensions, sides);
  for (int i = 1; i <= parts; ++i)
    for (int j = 1; j <= (dimensions > 1 ? parts / i : 1); ++j) {
      const int k = parts / i / j;
      if (i * j * k != parts || (dimensions < 3 && k > 1)) continue;
      const double other = area({i, j, k}, dimensions, sides);
      ASSERT_LE(least, other * (1 + 1e-9)) << i << ' ' << j << ' ' << k;
      if (std::abs(least - other) > 1e-9 * least) continue;
      const Extents reversed = {k, j, i},
                    mine = {found.extents[2], found.extents[1], found.extents[0]};
      ASSERT_LE(reversed, mine) << "of equals the one with most along the last axis";
    }
}

TEST(Factored, LeastAreaAmongAll) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.01, 1);
  for (int parts = 1; parts <= 150; ++parts)
    for (const int dimensions : {1, 2, 3}) {
      expect_least_area(parts, dimensions, {1, 1, 1});
      expect_least_area(parts, dimensions, {0.3, 0.3, 0.1});
      expect_least_area(parts, dimensions, {uniform(random), uniform(random), uniform(random)});
    }
}

TEST(Factored, ManyParts) {
  EXPECT_EQ(factored(1'000'000, 3), (GridShape{3, {100, 100, 100}}));
  EXPECT_EQ(factored(1'000'000, 2), (GridShape{2, {1000, 1000, 1}}));
  EXPECT_EQ(factored(999'983, 3), (GridShape{3, {1, 1, 999'983}})) << "a prime";
  for (const int parts : {720'720, 735'134'400, std::numeric_limits<int>::max()})
    EXPECT_EQ(factored(parts, 3, {1, 2, 3}).parts(), parts);
}

TEST(Factored, Misuse) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const int parts : {0, -1}) EXPECT_ERROR(factored(parts, 3), "core/domains: A grid of ");
  for (const int dimensions : {0, 4}) EXPECT_ERROR(factored(4, dimensions), "dimensions was asked");
  for (const double side : {-1.0, nan, infinity})
    EXPECT_ERROR(factored(4, 3, {1, side, 1}), "core/domains: A box with a side of ");
  EXPECT_NO_THROW(factored(4, 2, {1, 1, nan})) << "has no meaning";
}

// --- Grids of ranks ------------------------------------------------------------------------------

#if EVENKEEL_HAS_MPI

void expect_as_mpi(int dimensions, bool reorder) {
  SCOPED_TRACE(dimensions);
  const GridShape shape = factored(test::size(), dimensions);
  constexpr int periodic[] = {1, 0, 1};
  MPI_Comm cartesian = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, shape.extents.data(), periodic, reorder ? 1 : 0,
                  &cartesian);
  const RankGrid grid = grid_of(cartesian);
  EXPECT_EQ(grid.shape, shape);
  EXPECT_TRUE(grid.rank_of_part.empty()) << "numbered the same";
  for (int rank = 0; rank < test::size(); ++rank) {
    Extents at = {};
    MPI_Cart_coords(cartesian, rank, dimensions, at.data());
    EXPECT_EQ(grid.shape.at(rank), at);
  }
  MPI_Comm_free(&cartesian);
}

TEST(GridOf, ACartesianCommunicator) {
  for (const int dimensions : {1, 2, 3})
    for (const bool reorder : {false, true}) expect_as_mpi(dimensions, reorder);
}

TEST(GridOf, CommunicatorsThatAreNone) {
  EXPECT_ERROR(grid_of(MPI_COMM_NULL), "core/domains: The communicator is MPI_COMM_NULL.");
  EXPECT_ERROR(grid_of(MPI_COMM_WORLD),
               "core/domains: The communicator has no Cartesian topology.");
  const int extents[] = {1, test::size(), 1, 1}, periodic[] = {0, 0, 0, 0};
  MPI_Comm cartesian = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 4, extents, periodic, 0, &cartesian);
  EXPECT_ERROR(grid_of(cartesian), "core/domains: A grid of 4 dimensions was asked for.");
  MPI_Comm_free(&cartesian);
}

#endif

class GridOfPlaces : public test::OnRanks {
 protected:
  // Returns the error, which is the same on all ranks.
  std::string error_of(const GridShape& shape, const Extents& mine) const {
    return test::error_everywhere([&] { grid_of(communicator, shape, mine); });
  }
};

TEST_F(GridOfPlaces, InTheOrderOfRanks) {
  for (const int dimensions : {1, 2, 3}) {
    const GridShape shape = factored(size, dimensions);
    const RankGrid grid = grid_of(communicator, shape, shape.at(rank));
    EXPECT_EQ(grid.shape, shape);
    EXPECT_TRUE(grid.rank_of_part.empty());
  }
}

TEST_F(GridOfPlaces, InAnyOrder) {
  std::mt19937_64 random(5);
  for (const int dimensions : {1, 2, 3})
    for (int repeat = 0; repeat < 10; ++repeat) {
      const GridShape shape = factored(size, dimensions);
      std::vector<int> ranks;
      for (int part = 0; part < size; ++part) ranks.push_back(part);
      std::shuffle(ranks.begin(), ranks.end(), random);  // the same on all ranks
      const auto mine = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
      const RankGrid grid = grid_of(communicator, shape, shape.at(static_cast<int>(mine)));
      EXPECT_EQ(grid.shape, shape);
      if (std::is_sorted(ranks.begin(), ranks.end()))
        EXPECT_TRUE(grid.rank_of_part.empty());
      else
        EXPECT_EQ(grid.rank_of_part, ranks);
    }
}

TEST_F(GridOfPlaces, OtherThanThereAreRanks) {
  EXPECT_MENTIONS(error_of({1, {size + 1, 1, 1}}, {rank, 0, 0}),
                  "core/domains: A grid of " + std::to_string(size + 1) +
                      " x 1 x 1 was named for " + std::to_string(size) + " ranks.");
  EXPECT_MENTIONS(error_of({3, {size, 0, 1}}, {rank, 0, 0}), "one domain or more");
}

TEST_F(GridOfPlaces, PlacesOutside) {
  const int last = size - 1;
  const std::string told = "evenkeel: rank " + std::to_string(last) + ": core/domains: Place ";
  for (const int place : {-1, size}) {
    const Extents mine = {0, rank == last ? place : rank, 0};
    EXPECT_MENTIONS(error_of({3, {1, size, 1}}, mine), told + std::to_string(place));
  }
  const Extents beyond = {rank, rank == last ? 1 : 0, 0};
  EXPECT_MENTIONS(error_of({1, {size, 1, 1}}, beyond), told + "1 along axis 1");
}

TEST_F(GridOfPlaces, Disagreement) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  const bool odd = rank == size - 1;
  const std::string same = error_of({1, {size, 1, 1}}, {odd ? 0 : rank, 0, 0});
  EXPECT_MENTIONS(same,
                  "Ranks 0 and " + std::to_string(size - 1) + " name the same place in the grid.");
  const GridShape along_x{3, {size, 1, 1}}, along_z{3, {1, 1, size}};
  const std::string other = odd ? error_of(along_z, {0, 0, rank}) : error_of(along_x, {rank, 0, 0});
  EXPECT_MENTIONS(other, "Rank 0 names a grid of " + std::to_string(size) + " x 1 x 1, rank " +
                             std::to_string(size - 1));
}

TEST(GridOfSelf, IsOneDomain) {
  const RankGrid grid = grid_of(Communicator::self(), GridShape{2, {1, 1, 1}}, {0, 0, 0});
  EXPECT_EQ(grid.shape, (GridShape{2, {1, 1, 1}}));
  EXPECT_TRUE(grid.rank_of_part.empty());
}

}  // namespace
}  // namespace evenkeel::shape_test
