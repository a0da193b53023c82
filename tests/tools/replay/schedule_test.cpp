
#include "chains.hpp"
#include "replay/report.hpp"
#include "support/harness.hpp"

namespace evenkeel::tool::schedule_test {
namespace {

using test::Costs;
using Case = test::ReplayCase;

// All possible schedules for this number of steps.
std::vector<Schedule> all_schedules(std::int64_t steps) {
  std::vector<Schedule> schedules = {{}};
  for (std::int64_t step = 1; step < steps; ++step) {
    const std::size_t before = schedules.size();
    schedules.reserve(2 * before);
    for (std::size_t i = 0; i < before; ++i) {
      schedules.push_back(schedules[i]);
      schedules.back().push_back(step);
    }
  }
  return schedules;
}

// Adds up the cost load by load.
double direct_cost(const Case& one, const Schedule& schedule) {
  double total = 0;
  for (std::int64_t step = 0; step < one.costs.steps(); ++step) {
    const auto last = std::ranges::upper_bound(schedule, step);
    const bool moved = last != schedule.begin();
    if (moved && *(last - 1) == step) total += one.setting.rebalance;
    const Ranges ranges =
        moved ? one.chain.cut(*(last - 1) - 1, one.setting.ranks) : one.setting.start;
    total += test::slowest_of(one.costs, ranges, step);
  }
  return total;
}

// Returns the cheapest total, by the same dynamic programming without any shortcut.
double optimum_by_hand(const Case& one) {
  const std::int64_t steps = one.costs.steps();
  std::vector<double> best(static_cast<std::size_t>(steps) + 1,
                           std::numeric_limits<double>::infinity());
  best[0] = 0;
  double least = best.back();
  for (std::int64_t cut = 0; cut < steps; ++cut) {
    const Ranges ranges = cut == 0 ? one.setting.start : one.chain.cut(cut - 1, one.setting.ranks);
    double total = best[static_cast<std::size_t>(cut)];
    for (std::int64_t step = cut; step < steps; ++step) {
      total += one.chain.slowest(ranges, step);
      double& after = best[static_cast<std::size_t>(step) + 1];
      after = std::min(after, total + one.setting.rebalance);
    }
    least = std::min(least, total);
  }
  return least;
}

void expect_optimal(const Case& one) {
  SCOPED_TRACE(one.costs.name + ", ranks " + std::to_string(one.setting.ranks) + ", rebalance " +
               std::to_string(one.setting.rebalance));
  const Optimum optimum = optimum_of(one.setting);
  EXPECT_EQ(optimum.total, cost_of(one.setting, optimum.schedule))
      << "they are added up in the same way";
  double least = std::numeric_limits<double>::infinity();
  for (const Schedule& schedule : all_schedules(one.costs.steps()))
    least = std::min(least, cost_of(one.setting, schedule));
  EXPECT_EQ(optimum.total, least);
  EXPECT_TRUE(std::ranges::is_sorted(optimum.schedule));
  EXPECT_LE(ideal_of(one.setting), optimum.total * (1 + 1e-14)) << "but for rounding";
}

// --- The cost of a schedule ----------------------------------------------------------------------

TEST(Schedule, CostsByHand) {
  //                     0           1           2           3
  const Costs costs = {"hand", 4, {2, 2, 2, 2, 2, 2, 2, 6, 1, 1, 1, 9, 9, 1, 1, 1}};
  const Case one(costs, 2, 1.5);
  ASSERT_EQ(one.setting.start, (Ranges{0, 2, 4}));
  EXPECT_EQ(cost_of(one.setting, {}), 4 + 8 + 10 + 10);
  EXPECT_EQ(cost_of(one.setting, {1}), 4 + 1.5 + 8 + 10 + 10) << "the same cut again";
  EXPECT_EQ(cost_of(one.setting, {2}), 4 + 8 + 1.5 + 9 + 11) << "bins 0 to 2, and the last";
  EXPECT_EQ(cost_of(one.setting, {2, 3}), 4 + 8 + 1.5 + 9 + 1.5 + 11);
  EXPECT_EQ(cost_of(one.setting, {3}), 4 + 8 + 10 + 1.5 + 11) << "cut by row 2, not by row 3";
  EXPECT_EQ(ideal_of(one.setting), 4 + 6 + 6 + 6);
  EXPECT_EQ(optimum_of(one.setting).total, 32);
  EXPECT_EQ(optimum_of(one.setting).schedule, Schedule{});
}

TEST(Schedule, TheFirstCutIsForFree) {
  const Costs costs = {"hand", 4, {1, 1, 1, 9, 1, 1, 1, 9}};
  EXPECT_EQ(cost_of(Case(costs, 2, 5).setting, {}), 9 + 9);
  EXPECT_EQ(cost_of(Case(costs, 2, 5, ReplayStart::uniform).setting, {}), 10 + 10);
  EXPECT_EQ(cost_of(Case(costs, 2, 5, ReplayStart::uniform).setting, {1}), 10 + 5 + 9);
}

TEST(Schedule, CostsOfAllSchedules) {
  for (unsigned seed = 0; seed < 10; ++seed)
    for (const ReplayStart start : {ReplayStart::optimal, ReplayStart::uniform}) {
      const Case one(test::whole_costs(7, 6, 9, 5, seed), 3, 2.25, start);
      for (const Schedule& schedule : all_schedules(7))
        ASSERT_EQ(cost_of(one.setting, schedule), direct_cost(one, schedule)) << one.costs.name;
    }
}

TEST(Schedule, RanksWithoutBinsCostNothing) {
  const Case one({"hand", 2, {3, 5, 4, 1}}, 100'000, 1, ReplayStart::uniform);
  EXPECT_EQ(cost_of(one.setting, {}), 5 + 4);
  EXPECT_DOUBLE_EQ(ideal_of(one.setting), 13 / 1e5);
}

// --- The cheapest schedule -----------------------------------------------------------------------

// A small range of values causes ties between schedules. Rows without cost cause more ties.
TEST(Optimum, OfAllSchedulesOfWholeCosts) {
  for (unsigned seed = 0; seed < 24; ++seed)
    for (const double rebalance : {0.0, 0.25, 1.0, 4.0, 100.0}) {
      const auto steps = static_cast<std::int64_t>(1 + seed % 10);
      const int most = seed % 3 == 0 ? 1 : 12, ranks = 1 + static_cast<int>(seed % 4);
      const ReplayStart start = seed % 2 == 0 ? ReplayStart::optimal : ReplayStart::uniform;
      expect_optimal(Case(test::whole_costs(steps, 6, most, 4, seed), ranks, rebalance, start));
    }
}

TEST(Optimum, OfAllSchedulesOfDriftingCosts) {
  for (unsigned seed = 0; seed < 24; ++seed)
    for (const double rebalance : {0.0, 0.3, 2.0, 1e6}) {
      const int ranks = 1 + static_cast<int>(seed % 5);
      const ReplayStart start = seed % 2 == 0 ? ReplayStart::optimal : ReplayStart::uniform;
      expect_optimal(Case(test::drifting_costs(10, 24, seed), ranks, rebalance, start));
    }
}

// Sums of such costs are rounded, so equal loads may differ in the last bits.
TEST(Optimum, WhereAllSchedulesAreAlike) {
  for (const int ranks : {1, 2, 3, 7})
    for (const double cost : {0.1, 1.0 / 3, 1e-300, 1e300}) {
      const Case one({"even", 21, std::vector<double>(10 * 21, cost)}, ranks, 0);
      expect_optimal(one);
      EXPECT_EQ(optimum_of(one.setting).schedule, Schedule{}) << "no rebalance that gains nothing";
    }
}

// The differences between schedules are smaller than the rounding of sums of averages.
TEST(Optimum, WhereSchedulesDifferByRoundingAlone) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (std::int64_t round = 0; round < 300; ++round) {
    Costs costs = {"nearly even, round " + std::to_string(round), 3, {}};
    const double cost = unit(random);
    for (std::int64_t step = 0; step < 4 + round % 7; ++step) {
      const double first = cost * (1 + 0x1p-50 * unit(random)),
                   more = cost * 0x1p-50 * unit(random);
      for (const double of_bin : {first, more, first + more}) costs.values.push_back(of_bin);
    }
    const CostChain chain = costs.chain();
    const Setting setting = {chain, 2, {0, 1, 3}, 0};
    const double optimum = optimum_of(setting).total;
    for (const Schedule& schedule : all_schedules(costs.steps()))
      ASSERT_LE(optimum - cost_of(setting, schedule), 0) << costs.name;
  }
}

TEST(Optimum, WithoutAnyCost) {
  const Case one({"nothing", 3, std::vector<double>(8 * 3, 0)}, 2, 0);
  expect_optimal(one);
  EXPECT_EQ(optimum_of(one.setting).total, 0);
  EXPECT_EQ(optimum_of(one.setting).schedule, Schedule{});
}

TEST(Optimum, OfLongChains) {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (const double rebalance : {0.0, 1.0, 20.0}) {
      const Case drifting(test::drifting_costs(200, 40, seed), 5, rebalance);
      const Optimum optimum = optimum_of(drifting.setting);
      EXPECT_EQ(optimum.total, optimum_by_hand(drifting)) << drifting.costs.name;
      EXPECT_EQ(optimum.total, cost_of(drifting.setting, optimum.schedule));
      const Case whole(test::whole_costs(200, 12, 5, 8, seed), 4, rebalance);
      EXPECT_EQ(optimum_of(whole.setting).total, optimum_by_hand(whole)) << whole.costs.name;
    }
}

TEST(Optimum, OneThatIsPlain) {
  // Work moves to the other end before step 3, and stays there. So there is one rebalance, as soon
  // as the costs show this.
  const Costs costs = test::costs_of("a jump", 10, [](int step) {
    return step < 3 ? std::vector<double>{6, 2, 2, 2} : std::vector<double>{2, 2, 2, 6};
  });
  const Optimum optimum = optimum_of(Case(costs, 2, 3).setting);
  EXPECT_EQ(optimum.schedule, Schedule{4});
  EXPECT_EQ(optimum.total, 3 * 6 + 10 + 3 + 6 * 6);
  EXPECT_EQ(optimum_of(Case(costs, 2, 25).setting).schedule, Schedule{}) << "it costs too much";
}

// The possible gain is small, and one rebalance realises all of it.
TEST(Optimum, OneThatIsIdealFromTheRebalanceOn) {
  const Case one(test::costs_of("1 % uneven", 10,
                                [](int) {
                                  return std::vector<double>{100, 1, 99, 0};
                                }),
                 2, 0.5, ReplayStart::uniform);
  const Optimum optimum = optimum_of(one.setting);
  EXPECT_EQ(optimum.schedule, Schedule{1});
  EXPECT_EQ(optimum.total, 101 + 0.5 + 9 * 100);
}

// --- Other schedules -----------------------------------------------------------------------------

TEST(Replay, AnEqualScheduleIsNotAboveTheOptimum) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Case one(test::drifting_costs(9, 20, seed), 3, 0.7);
    ChainReplay replay = {};
    replay.optimum = optimum_of(one.setting);
    for (const Schedule& schedule : all_schedules(9)) {
      replay.total = cost_of(one.setting, schedule);
      if (schedule == replay.optimum.schedule)
        ASSERT_EQ(replay.above_optimum_percent(), 0);
      else
        ASSERT_GE(replay.above_optimum_percent(), 0);
    }
  }
}

TEST(Replay, AboveTheOptimum) {
  ChainReplay replay = {};
  replay.optimum.total = 8;
  replay.total = 10;
  EXPECT_EQ(replay.above_optimum_percent(), 25);
  replay.optimum.total = replay.total = 0;
  EXPECT_EQ(replay.above_optimum_percent(), 0) << "nothing costs anything";
}

}  // namespace
}  // namespace evenkeel::tool::schedule_test
