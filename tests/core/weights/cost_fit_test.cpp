#include "core/values.hpp"

#include <evenkeel/core/weights/cost_fit.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::cost_fit_test {
namespace {

using Matrix = std::vector<std::vector<double>>;  // by the earlier rank, then by the present rank

std::vector<double> column_sums(const Matrix& all) {
  std::vector<double> sums(all.front().size());
  for (const auto& row : all)
    for (std::size_t r = 0; r < row.size(); ++r) sums[r] += row[r];
  return sums;
}

std::vector<double> row_sums(const Matrix& all) {
  std::vector<double> sums;
  for (const auto& row : all) {
    double sum = 0;
    for (const double cost : row) sum += cost;
    sums.push_back(sum);
  }
  return sums;
}

// A few objects for each pair of ranks. Their costs are known except for one factor for each pair.
struct World {
  Matrix known, truth;
  std::vector<double> costs;          // of the objects of this rank,
  std::vector<std::int64_t> records;  // their earlier ranks,
  std::vector<double> wanted;         // and their true costs
};

// `differ` limits the difference between true and known costs of pairs, as a power of 2.
World world_of(unsigned seed, double differ, bool all_pairs) {
  const Communicator ranks = test::world();
  const int count = ranks.size();
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  World world;
  for (Matrix* all : {&world.known, &world.truth})
    all->assign(static_cast<std::size_t>(count),
                std::vector<double>(static_cast<std::size_t>(count)));
  for (int g = 0; g < count; ++g)
    for (int r = 0; r < count; ++r) {
      const double factor = std::exp2(differ * (2 * unit(random) - 1));
      const bool is_near = all_pairs || std::abs(g - r) <= 1;
      for (int k = 0; k < 5; ++k) {
        const double cost = unit(random) + 0.1;
        if (!is_near) continue;
        world.known[static_cast<std::size_t>(g)][static_cast<std::size_t>(r)] += cost;
        world.truth[static_cast<std::size_t>(g)][static_cast<std::size_t>(r)] += cost * factor;
        if (r != ranks.rank()) continue;
        world.costs.push_back(cost);
        world.wanted.push_back(cost * factor);
        // The lower half of a record has other data.
        world.records.push_back((std::int64_t{g} << 32) + (std::int64_t{1} << 32) - 1 - k);
      }
    }
  return world;
}

double at(const std::vector<double>& values, int rank) {
  return values[static_cast<std::size_t>(rank)];
}

// Fits as CostFit does, but with whole matrices on one rank: rows and columns in turn.
Matrix fitted(Matrix all, std::vector<double> before, const std::vector<double>& now) {
  const auto scale_columns = [&] {
    const std::vector<double> sums = column_sums(all);
    for (auto& row : all)
      for (std::size_t r = 0; r < row.size(); ++r) row[r] *= sums[r] > 0 ? now[r] / sums[r] : 1;
  };
  scale_columns();
  double sum_before = 0, sum_now = 0;
  for (std::size_t r = 0; r < before.size(); ++r) sum_before += before[r], sum_now += now[r];
  for (int sweep = 0; sweep < 10; ++sweep) {
    const std::vector<double> sums = row_sums(all);
    for (std::size_t g = 0; g < all.size(); ++g)
      for (double& cost : all[g])
        if (sums[g] > 0) cost *= std::sqrt(before[g] * sum_now / sum_before / sums[g]);
    scale_columns();
  }
  return all;
}

std::vector<double> fit(const World& world, double before, double now) {
  const Space space = test::space();
  const Communicator ranks = test::world();
  const auto costs = test::array_of(world.costs, space);
  const auto records = test::array_of(world.records, space);
  CostFit fit(ranks.size());
  fit.add(costs, records);
  fit.fit(ranks, before, now);
  fit.apply(costs, records);
  return costs.on_host();
}

TEST(CostFit, FindsWhatASerialFitOfTheWholeMatrixFinds) {
  const int here = test::world().rank();
  for (const bool all_pairs : {true, false})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const World world = world_of(seed, 0.4, all_pairs);
      const std::vector<double> before = row_sums(world.truth), now = column_sums(world.truth);
      const std::vector<double> costs = fit(world, at(before, here), at(now, here));
      const Matrix expected = fitted(world.known, before, now);
      ASSERT_EQ(costs.size(), world.costs.size());
      for (std::size_t i = 0; i < costs.size(); ++i) {
        const auto g = static_cast<std::size_t>(world.records[i] >> 32);
        const auto r = static_cast<std::size_t>(here);
        EXPECT_NEAR(costs[i], world.costs[i] * expected[g][r] / world.known[g][r], 1e-9 * costs[i]);
      }
    }
}

class CostFitOn : public test::OnRanks {};

// The costs of a rank must add up to its load; those of an earlier rank must nearly add up to its
// load.
TEST_F(CostFitOn, BothLoadsAreMet) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const World world = world_of(seed, 1, true);
    const std::vector<double> before = row_sums(world.truth), now = column_sums(world.truth);
    const std::vector<double> costs = fit(world, at(before, rank), at(now, rank));
    std::vector<double> found(before.size());
    double sum = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      found[static_cast<std::size_t>(world.records[i] >> 32)] += costs[i];
      sum += costs[i];
    }
    EXPECT_NEAR(sum, at(now, rank), 1e-9 * sum);
    communicator.all_reduce(std::span<double>(found), Reduction::sum);
    for (std::size_t g = 0; g < found.size(); ++g) EXPECT_NEAR(found[g] / before[g], 1, 0.01);
  }
}

TEST(CostFit, KeepsCostsThatFitAlready) {
  const World world = world_of(3, 0, true);
  const int here = test::world().rank();
  const std::vector<double> costs =
      fit(world, at(row_sums(world.known), here), at(column_sums(world.known), here));
  for (std::size_t i = 0; i < costs.size(); ++i) EXPECT_NEAR(costs[i], world.costs[i], 1e-12);
}

// The unit must not matter, and neither must a common factor of all loads between the measurements.
TEST(CostFit, OnlyProportionsOfTheLoadsBeforeMatter) {
  const World world = world_of(4, 1, true);
  const int here = test::world().rank();
  const double before = at(row_sums(world.truth), here), now = at(column_sums(world.truth), here);
  const std::vector<double> one = fit(world, before, now), other = fit(world, 7 * before, now);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-12);
}

// A load that contradicts the known costs must not make costs absurd.
TEST_F(CostFitOn, NoCostChangesMoreThanFourTimesAsMuchAsItsRankAsks) {
  World world = world_of(5, 0, true);
  const double now = at(column_sums(world.known), rank);
  const double before = rank == 0 ? 1e6 : 1e-6;
  const std::vector<double> costs = fit(world, before, now);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    EXPECT_GE(costs[i], world.costs[i] / 4 * (1 - 1e-12));
    EXPECT_LE(costs[i], world.costs[i] * 4 * (1 + 1e-12));
    EXPECT_TRUE(std::isfinite(costs[i]));
  }
}

TEST_F(CostFitOn, RanksWithoutObjectsOrLoads) {
  for (const double before : {0.0, 1.0})
    for (const double now : {0.0, 1.0}) {
      World world = world_of(6, 1, true);
      if (rank == 0) {
        world.costs.clear();
        world.records.clear();
      }
      const bool has_some = rank != 0;
      const std::vector<double> costs = fit(world, before, has_some ? now : 0);
      double sum = 0;
      for (std::size_t i = 0; i < costs.size(); ++i) {
        EXPECT_TRUE(std::isfinite(costs[i]));
        EXPECT_GT(costs[i], 0);
        if (now == 0) {
          EXPECT_EQ(costs[i], world.costs[i]) << "nothing was measured";
        }
        sum += costs[i];
      }
      if (has_some && now > 0 && before == 0) {
        EXPECT_NEAR(sum, now, 1e-9);
      }
    }
}

TEST_F(CostFitOn, RefusesARankThatIsNone) {
  const Space space = test::space();
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{size}}) {
    const auto costs = test::array_of(std::vector<double>{1.0, 1.0}, space);
    const auto records = test::array_of(std::vector<std::int64_t>{0, wrong << 32}, space);
    CostFit fit(size);
    EXPECT_ERROR(fit.add(costs, records), "outside");
  }
}

}  // namespace
}  // namespace evenkeel::cost_fit_test
