#include "boxes/from_work/density.hpp"

#include "support/harness.hpp"

namespace evenkeel::density_test {
namespace {

UnitGrid even_grid(const LevelCounts& domains) {
  UnitGrid grid{domains, {}};
  std::size_t rows = 1;
  for (std::size_t level = 0; level < 3; ++level) {
    const std::size_t n = domains[level];
    for (std::size_t i = 0; i < rows * (n + 1); ++i)
      grid.borders[level].push_back(static_cast<double>(i % (n + 1)) / static_cast<double>(n));
    rows *= n;
  }
  return grid;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void expect_cells_are_the_cube(const Density& density) {
  double volume = 0, work = 0;
  for (const Density::DensityCell& cell : density.cells()) {
    volume += cell.box.width(0) * cell.box.width(1) * cell.box.width(2);
    work += cell.work;
    EXPECT_GT(cell.work, 0);
    for (std::size_t level = 0; level < 3; ++level) EXPECT_GT(cell.box.width(level), 0);
  }
  EXPECT_NEAR(volume, 1, 1e-12);
  EXPECT_NEAR(work, 1, 1e-4);
}

TEST(UnitGrid, SharesOfABoxAddUpToIt) {
  const UnitGrid grid = even_grid({2, 3, 4});
  std::vector<double> shares(grid.parts());
  std::size_t last = 0;
  for_each_share(grid, {{0.25, 0.1, 0.5}, {0.75, 0.9, 0.625}},
                 [&](std::size_t domain, double share) {
                   EXPECT_GE(domain, last);
                   last = domain;
                   shares[domain] = share;
                 });
  EXPECT_NEAR(sum_of(shares), 1, 1e-15);
  EXPECT_NEAR(shares[2], 0.5 * (1.0 / 3 - 0.1) / 0.8, 1e-15);
  EXPECT_EQ(shares[0], 0);
  EXPECT_EQ(shares[3], 0);
}

TEST(UnitGrid, DomainsWithoutExtentHaveNothing) {
  UnitGrid grid = even_grid({1, 1, 4});
  grid.borders[2] = {0, 0, 0.5, 1, 1};
  std::vector<double> shares(4);
  for_each_share(grid, {}, [&](std::size_t domain, double share) { shares[domain] = share; });
  EXPECT_EQ(shares, std::vector<double>({0, 0.5, 0.5, 0}));
}

TEST(UnitGrid, KnowsTheBoxesOfDomains) {
  const UnitBox box = even_grid({2, 3, 4}).box_of((1 * 3 + 2) * 4 + 1);
  EXPECT_EQ(box.lower, (std::array<double, 3>{0.5, 2.0 / 3, 0.25}));
  EXPECT_EQ(box.upper, (std::array<double, 3>{1, 1, 0.5}));
}

TEST(Density, HasInEachDomainWhatWasMeasured) {
  const UnitGrid grid = even_grid({3, 2, 4});
  std::deque<MeasuredGrid> rounds = {{grid, {}}};
  for (std::size_t d = 0; d < grid.parts(); ++d)
    rounds.back().work.push_back(d % 5 == 0 ? 0 : static_cast<double>(d * d));
  const double all = sum_of(rounds.back().work);
  for (double& work : rounds.back().work) work /= all;
  Density density(grid.domains);
  density.learn(rounds, 0);
  expect_cells_are_the_cube(density);
  const std::vector<double> work = density.work_in(grid);
  const double cell = 1.0 / 32 / 24;  // a cell with less work may extend across a border
  for (std::size_t d = 0; d < grid.parts(); ++d)
    EXPECT_NEAR(work[d], rounds.back().work[d], cell) << d;
}

// The work is on a line through the cube. It always moves, so earlier rounds contradict it.
TEST(Density, StaysSmallHoweverLongItLearns) {
  const UnitGrid grid = even_grid({4, 4, 4});
  Density density(grid.domains);
  std::deque<MeasuredGrid> rounds;
  for (int round = 0; round < 60; ++round) {
    const double centre = 0.5 + 0.4 * std::sin(round);
    std::vector<double> work;
    for (std::size_t d = 0; d < grid.parts(); ++d) {
      const UnitBox box = grid.box_of(d);
      double distance = 0;
      for (std::size_t level = 0; level < 3; ++level)
        distance += std::abs(0.5 * (box.lower[level] + box.upper[level]) - centre);
      work.push_back(std::exp(-10 * distance));
    }
    const double all = sum_of(work);
    for (double& w : work) w /= all;
    rounds.push_back({grid, work});
    if (rounds.size() > 8) rounds.pop_front();
    density.learn(rounds, 0);
    EXPECT_LE(density.cells().size(), 16u * 32 * 64);
  }
  expect_cells_are_the_cube(density);
}

TEST(Density, ForgetsRoundsOfOtherWork) {
  const UnitGrid grid = even_grid({1, 1, 4});
  UnitGrid other = grid;
  other.borders[2] = {0, 0.3, 0.6, 0.8, 1};
  Density density(grid.domains);
  std::deque<MeasuredGrid> rounds = {{grid, {0.25, 0.25, 0.25, 0.25}}};
  density.learn(rounds, 0);
  rounds.push_back({other, {0.3, 0.3, 0.2, 0.2}});
  density.learn(rounds, 0);
  EXPECT_EQ(rounds.size(), 2u);
  rounds.push_back({grid, {0.85, 0.05, 0.05, 0.05}});
  density.learn(rounds, 0);
  ASSERT_EQ(rounds.size(), 1u);
  EXPECT_EQ(rounds.back().work.front(), 0.85);
  // A difference within the noise does not count.
  rounds = {{other, {0.3, 0.3, 0.2, 0.2}}, {grid, {0.3, 0.2, 0.2, 0.3}}};
  density.learn(rounds, 0.3);
  EXPECT_EQ(rounds.size(), 2u);
}

TEST(Density, TakesWorkBackToWhereThereWasNone) {
  const UnitGrid grid = even_grid({1, 1, 4});
  Density density(grid.domains);
  for (int round = 0; round < 400; ++round) {
    const double left = round < 399 ? 0.5 : 0;
    std::deque<MeasuredGrid> rounds = {{grid, {left, left, 0.5 - left, 0.5 - left}}};
    density.learn(rounds, 0);
  }
  EXPECT_NEAR(density.work_in(grid)[3], 0.5, 1e-5);
}

}  // namespace
}  // namespace evenkeel::density_test
