#include "observe/rebalance_cost.hpp"
#include "support/harness.hpp"

namespace evenkeel::rebalance_cost_test {
namespace {

std::int64_t now = 0;
std::int64_t reading() noexcept { return now; }

class RebalanceCostTest : public testing::Test {
 protected:
  RebalanceCostTest() { now = 1000; }

  void end_step(std::int64_t duration, std::int64_t load, bool may_move = true) {
    now += duration;
    cost.end_step({.duration = duration, .load = load}, may_move, clock);
  }
  void rebalance() {
    now += 7'000;  // the time of the rebalance itself does not belong to the next step
    cost.begin_settling(clock);
  }
  // Five steps that take 50, of which 30 in kernels.
  void usual_steps() {
    for (int i = 0; i < 5; ++i) end_step(50, 30);
  }
  // A step that is followed by a gate, then the step after this gate, and three others.
  void gate(std::int64_t beside, std::int64_t load, bool moves) {
    end_step(50, 30, true);
    if (moves) rebalance();
    end_step(beside + load, load, false);
    for (int i = 0; i < 3; ++i) end_step(50, 30, false);
  }
  Sample told(bool is_last = false) {
    Sample sample;
    cost.tell(sample, is_last);
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
  EXPECT_EQ(sample.rebalances, 3);
  EXPECT_EQ(told().cost, 0);
  EXPECT_EQ(told().bytes, 0);
  EXPECT_EQ(told().rebalances, 0);
}

TEST_F(RebalanceCostTest, AFirstDistributionIsToldApart) {
  cost.add_first(1e-6, 10);
  cost.add(2e-6, 20);
  const Sample sample = told();
  EXPECT_EQ(sample.first_cost, 1000);
  EXPECT_EQ(sample.first_bytes, 10);
  EXPECT_EQ(sample.cost, 2000);
  EXPECT_EQ(sample.bytes, 20);
  EXPECT_EQ(sample.rebalances, 1);
  EXPECT_EQ(told().first_cost, 0);
}

TEST_F(RebalanceCostTest, PartOfAFirstDistributionIsNotTold) {
  cost.add_first(1e-6, 10, false);
  const Sample sample = told();
  EXPECT_EQ(sample.first_cost, 0);
  EXPECT_EQ(sample.first_bytes, 0);
}

TEST_F(RebalanceCostTest, TheRestOfAFirstDistributionMayBeNoted) {
  cost.add_first(1e-6, 10, false);
  EXPECT_TRUE(cost.note(4e-6));
  usual_steps();
  const Sample sample = told();
  EXPECT_EQ(sample.first_cost, 5000);
  EXPECT_EQ(sample.first_bytes, 10);
  EXPECT_EQ(sample.noted, 0);
  cost.add(1e-6, 10);
  EXPECT_TRUE(cost.note(4e-6));
  EXPECT_EQ(told().first_bytes, 0) << "reported once";
}

TEST_F(RebalanceCostTest, StaysAtTheGreatestNumber) {
  cost.add(1e300, std::int64_t{1} << 62);
  cost.add(1e300, std::int64_t{1} << 62);
  const Sample sample = told();
  EXPECT_EQ(sample.cost, std::int64_t{1} << 61);
  EXPECT_EQ(sample.bytes, std::int64_t{1} << 61);
}

TEST_F(RebalanceCostTest, TheNextStepIsComparedWithLaterOnes) {
  rebalance();
  end_step(100, 60);
  usual_steps();
  expect_told(20, 30);
  end_step(300, 90);
  expect_told(0, 0);
}

// With the mean of later steps, the excess would be 0.
TEST_F(RebalanceCostTest, AnotherStepThatIsDelayedDoesNotHideTheExcess) {
  rebalance();
  end_step(100, 60);
  usual_steps();
  end_step(1000, 500);
  end_step(50, 30);
  expect_told(20, 30);
}

TEST_F(RebalanceCostTest, AStepThatTookNoLongerCostsNothing) {
  rebalance();
  end_step(50, 30);
  usual_steps();
  expect_told(0, 0);
}

// Over many rebalances, noise of kernels must not add up.
TEST_F(RebalanceCostTest, AStepWithShorterKernelsCountsAsSuch) {
  rebalance();
  end_step(50, 10);
  usual_steps();
  expect_told(20, -20);
}

TEST_F(RebalanceCostTest, AllWaitsForALaterStep) {
  cost.add(1e-6, 10);
  rebalance();
  EXPECT_EQ(told().cost, 0);
  end_step(100, 60);
  EXPECT_EQ(told().cost, 0);
  end_step(50, 30);
  const Sample sample = told();
  EXPECT_EQ(sample.cost, 1000);
  EXPECT_EQ(sample.bytes, 10);
  EXPECT_EQ(sample.rebalances, 1);
  EXPECT_EQ(sample.rebuild, 20);
}

TEST_F(RebalanceCostTest, TheLastSampleWaitsForNothing) {
  cost.add(1e-6, 10);
  rebalance();
  end_step(100, 60);
  const Sample sample = told(true);
  EXPECT_EQ(sample.cost, 1000);
  EXPECT_EQ(sample.rebuild, 0) << "there is nothing to compare with";
}

// The program has needed 30 of the 100, and has noted this. The note comes with the rebalance.
TEST_F(RebalanceCostTest, WhatIsNotedCountsOnce) {
  cost.add(1e-6, 10);
  rebalance();
  EXPECT_TRUE(cost.note(10e-9));
  EXPECT_TRUE(cost.note(20e-9));
  EXPECT_EQ(told().noted, 0);
  end_step(100, 40);
  EXPECT_EQ(told().noted, 0);
  usual_steps();
  const Sample sample = told();
  EXPECT_EQ(sample.noted, 30);
  EXPECT_EQ(sample.rebuild, 10);
  EXPECT_EQ(sample.extra, 10);
  EXPECT_EQ(sample.cost, 1000);
  EXPECT_EQ(told().noted, 0);
}

// More than the step took, as another clock may say.
TEST_F(RebalanceCostTest, ANoteMayBeGreaterThanTheExcess) {
  cost.add(1e-6, 10);
  rebalance();
  EXPECT_TRUE(cost.note(1e-6));
  end_step(100, 60);
  usual_steps();
  EXPECT_EQ(told().noted, 1000);
  rebalance();
  end_step(100, 60);
  usual_steps();
  expect_told(20, 30);
}

TEST_F(RebalanceCostTest, ANoteNeedsARebalanceInTheSameStep) {
  EXPECT_FALSE(cost.note(1e-6));
  cost.add(1e-6, 0);  // has moved nothing
  EXPECT_TRUE(cost.note(1e-6));
  end_step(50, 30);
  EXPECT_FALSE(cost.note(1e-6));
  EXPECT_EQ(told().noted, 1000);
}

TEST_F(RebalanceCostTest, ARebalanceSoonAfterEndsTheComparison) {
  rebalance();
  end_step(100, 60);
  end_step(50, 30);
  cost.end_settling();
  rebalance();
  end_step(110, 60);
  usual_steps();
  expect_told(20 + 30, 30 + 30);
}

TEST_F(RebalanceCostTest, AClockThatGoesBackwardsCostsNothing) {
  rebalance();
  end_step(-500, 60);
  for (int i = 0; i < 3; ++i) end_step(-100, 60);
  expect_told(0, 0);
}

// --- Gates ---------------------------------------------------------------------------------------

// The step after each gate takes 500 outside of kernels and 90 in kernels, since the program then
// rebuilds its lists.
TEST_F(RebalanceCostTest, WhatHappensAtEachGateIsNoCostOfAMove) {
  for (int i = 0; i < 3; ++i) gate(500, 90, false);
  expect_told(0, 0);
  gate(535, 97, true);
  expect_told(35, 7);
  gate(500, 90, false);
  gate(480, 85, true);
  expect_told(0, -5);
}

TEST_F(RebalanceCostTest, ADelayAtOneGateDoesNotCount) {
  gate(500, 90, false);
  gate(9000, 90, false);
  gate(500, 90, false);
  gate(535, 90, true);
  expect_told(35, 0);
}

TEST_F(RebalanceCostTest, WithoutAnEarlierGateOtherStepsCount) {
  end_step(50, 30, false);
  gate(500, 90, true);
  expect_told(480, 60);
}

// Nothing is special after a step in which objects may move, if they always may.
TEST_F(RebalanceCostTest, WithoutGatesAllStepsAreAlike) {
  for (int i = 0; i < 20; ++i) end_step(i % 4 == 0 ? 500 : 50, 30);
  rebalance();
  end_step(100, 30);
  usual_steps();
  expect_told(50, 0);
}

}  // namespace
}  // namespace evenkeel::rebalance_cost_test
