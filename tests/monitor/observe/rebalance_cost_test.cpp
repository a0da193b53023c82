#include "observe/rebalance_cost.hpp"
#include "support/harness.hpp"

namespace evenkeel::rebalance_cost_test {
namespace {

std::int64_t now = 0;
std::int64_t reading() noexcept { return now; }

class RebalanceCostTest : public testing::Test {
 protected:
  RebalanceCostTest() { now = 1000; }

  void end_step(std::int64_t at, std::int64_t load) {
    now = at;
    cost.end_step(load, clock);
  }
  Sample told() {
    Sample sample;
    cost.tell(sample);
    return sample;
  }
  void expect_told(std::int64_t rebuild, std::int64_t extra) {
    const Sample sample = told();
    EXPECT_EQ(sample.rebuild, rebuild);
    EXPECT_EQ(sample.extra, extra);
  }

  WorkClock clock{ClockKind::wall, &reading, false};
  RebalanceCost cost;
};

TEST_F(RebalanceCostTest, AddsUpUntilItIsTold) {
  cost.add(1e-6, 10);
  cost.add(2e-6, 20);
  cost.add(-1, -5);  // must not count
  const Sample sample = told();
  EXPECT_EQ(sample.cost, 3000);
  EXPECT_EQ(sample.bytes, 30);
  EXPECT_EQ(told().cost, 0);
  EXPECT_EQ(told().bytes, 0);
}

TEST_F(RebalanceCostTest, AFirstDistributionIsDropped) {
  cost.add(1, 10);
  cost.drop();
  EXPECT_EQ(told().cost, 0);
}

TEST_F(RebalanceCostTest, StaysAtTheGreatestNumber) {
  cost.add(1e300, std::int64_t{1} << 62);
  cost.add(1e300, std::int64_t{1} << 62);
  const Sample sample = told();
  EXPECT_EQ(sample.cost, std::int64_t{1} << 61);
  EXPECT_EQ(sample.bytes, std::int64_t{1} << 61);
}

// The step after the rebalance takes 60 in kernels and 40 outside. On average, later steps take 30
// and 20.
TEST_F(RebalanceCostTest, TheNextStepIsComparedWithLaterOnes) {
  cost.begin_settling(1000);
  end_step(1100, 60);
  end_step(1140, 20);
  end_step(1200, 40);
  expect_told(20, 30);
  end_step(1300, 90);
  expect_told(0, 0);
}

TEST_F(RebalanceCostTest, AStepThatTookNoLongerCostsNothing) {
  cost.begin_settling(1000);
  end_step(1100, 60);
  end_step(1300, 60);
  expect_told(0, 0);
}

// Over many rebalances, noise of kernels must not add up.
TEST_F(RebalanceCostTest, AStepWithShorterKernelsCountsAsSuch) {
  cost.begin_settling(1000);
  end_step(1100, 60);
  end_step(1200, 90);
  expect_told(30, -30);
}

TEST_F(RebalanceCostTest, WaitsForALaterStep) {
  cost.begin_settling(1000);
  end_step(1100, 60);
  expect_told(0, 0);
  end_step(1150, 30);
  expect_told(20, 30);
}

TEST_F(RebalanceCostTest, ARebalanceSoonAfterEndsTheComparison) {
  cost.begin_settling(1000);
  end_step(1100, 60);
  end_step(1150, 30);
  cost.end_settling();
  cost.begin_settling(1150);
  expect_told(20, 30);
  end_step(1250, 60);
  end_step(1300, 30);
  expect_told(20, 30);
}

TEST_F(RebalanceCostTest, AClockThatGoesBackwardsCostsNothing) {
  cost.begin_settling(1000);
  end_step(500, 60);
  end_step(400, 60);
  expect_told(0, 0);
}

}  // namespace
}  // namespace evenkeel::rebalance_cost_test
