#include "survey/tally.hpp"

#include "support/harness.hpp"

namespace evenkeel::tally_test {
namespace {

class LoadTallyOn : public test::OnRanks {
 protected:
  LoadTally tally = LoadTally(size);
};

TEST_F(LoadTallyOn, AddsUpWhatAllRanksWouldHaveToDo) {
  // Each rank adds 100 for the last rank, and 7 for itself.
  const std::array<int, 2> ranks = {size - 1, rank};
  const std::array<double, 2> costs = {100, 7};
  tally.add(LoadTally::first, ranks, costs);
  tally.add_evenly(LoadTally::fresh, costs);
  tally.add_stray(7);
  EXPECT_TRUE(tally.reduce(communicator));
  EXPECT_EQ(tally.greatest(LoadTally::first), size * 100 + 7);
  EXPECT_EQ(tally.of(LoadTally::first, 0), size == 1 ? 107 : 7);
  EXPECT_EQ(tally.greatest(LoadTally::previous), Counterfactual::unknown) << "nothing was added";
  EXPECT_EQ(tally.of(LoadTally::previous, 0), Counterfactual::unknown);
  // 107 divided by 2, 3 or 5 is rounded, so the sum is off by less than 1 for each rank.
  EXPECT_NEAR(static_cast<double>(tally.greatest(LoadTally::fresh)), 107, size);
  EXPECT_NEAR(tally.share_of_strays(), 7.0 / 107, 0.01);
  EXPECT_EQ(tally.greatest_as_weighed(), Counterfactual::unknown) << "a rank gave no weights";
}

TEST_F(LoadTallyOn, ScalesWeightsToTheMeasuredLoad) {
  const std::array<int, 1> here = {rank};
  const std::array<double, 1> cost = {1000};
  tally.add(LoadTally::fresh, here, cost);
  tally.add_weight(rank, rank == 0 ? 1.0 : 0.5);
  EXPECT_TRUE(tally.reduce(communicator));
  EXPECT_NEAR(static_cast<double>(tally.greatest_as_weighed()),
              1000.0 * size / (1 + 0.5 * (size - 1)), 1);
}

// Each rank has the work of its speed, so that all take the same time.
TEST_F(LoadTallyOn, CountsTheTimesOfRanksOfDifferentSpeeds) {
  std::vector<double> speeds;
  for (int r = 0; r < size; ++r) speeds.push_back((1.0 + r) * 2 / (1 + size));
  LoadTally times(size, speeds);
  const std::array<int, 1> here = {rank};
  const std::array<double, 1> cost = {6000 * speeds[static_cast<std::size_t>(rank)]};
  times.add(LoadTally::first, here, cost);
  times.add_evenly(LoadTally::fresh, cost);
  times.add_weight(rank, speeds[static_cast<std::size_t>(rank)] / 2);
  EXPECT_TRUE(times.reduce(communicator));
  EXPECT_NEAR(static_cast<double>(times.greatest(LoadTally::first)), 6000, 2);
  EXPECT_NEAR(static_cast<double>(times.of(LoadTally::first, rank)), 6000, 2);
  EXPECT_NEAR(static_cast<double>(times.greatest(LoadTally::fresh)), 6000, 2.0 * size);
  EXPECT_NEAR(times.mean(), 6000, 2.0 * size);
  EXPECT_NEAR(static_cast<double>(times.greatest_as_weighed()), 6000, 2.0 * size);
}

TEST_F(LoadTallyOn, AddsUpWhatWouldMove) {
  tally.add_moved(1.6);
  tally.add_moved(10.0 * rank);
  const std::array<int, 1> here = {rank};
  const std::array<double, 1> load = {rank == 0 ? 1000.0 * size : 1000.0};
  tally.add(LoadTally::present, here, load);
  EXPECT_TRUE(tally.reduce(communicator));
  EXPECT_EQ(tally.moved(), 2 * size + 5 * size * (size - 1));
  const double all = 2 * size - 1, mean = all / size;  // in units of 1000
  EXPECT_NEAR(tally.share_in_excess(), (size - mean) / all, 1e-9);
}

TEST_F(LoadTallyOn, WithoutLoadNothingIsInExcess) {
  EXPECT_TRUE(tally.reduce(communicator));
  EXPECT_EQ(tally.moved(), 0);
  EXPECT_EQ(tally.share_in_excess(), 0);
}

TEST_F(LoadTallyOn, IsVoidIfARankFails) {
  if (rank == size - 1) tally.fail();
  EXPECT_FALSE(tally.reduce(communicator));
}

}  // namespace
}  // namespace evenkeel::tally_test
