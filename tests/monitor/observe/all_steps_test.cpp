#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

namespace evenkeel::all_steps_test {
namespace {

using test::all_of;
using Numbers = std::vector<std::int64_t>;

StepSlots filled(std::int64_t value) {
  StepSlots slots;
  slots.fill(value);
  return slots;
}

TEST(AllSteps, NothingYet) {
  const AllSteps all;
  EXPECT_EQ(all.steps(), 0);
  EXPECT_EQ(all.sum(), 0);
  EXPECT_EQ(all.steps_per_slot(), 1);
  EXPECT_EQ(all.sums(), StepSlots{});
}

TEST(AllSteps, AStepEachWhileThereIsRoom) {
  AllSteps all;
  StepSlots expected{};
  for (std::size_t step = 0; step < AllSteps::slots; ++step) {
    expected[step] = static_cast<std::int64_t>(100 + step);
    all.add(expected[step]);
    EXPECT_EQ(all.sums(), expected);
  }
  EXPECT_EQ(all.steps(), 16);
  EXPECT_EQ(all.steps_per_slot(), 1);
  EXPECT_EQ(all.sum(), 1720);
}

TEST(AllSteps, ThenTwoAndFour) {
  Numbers loads(17);
  std::iota(loads.begin(), loads.end(), 1);
  const AllSteps all = all_of(loads);
  EXPECT_EQ(all.steps(), 17);
  EXPECT_EQ(all.steps_per_slot(), 2);
  EXPECT_EQ(all.sums(), (StepSlots{3, 7, 11, 15, 19, 23, 27, 31, 17}));
  EXPECT_EQ(all_of(Numbers(32, 5)).steps_per_slot(), 2);
  EXPECT_EQ(all_of(Numbers(32, 5)).sums(), filled(10));
  EXPECT_EQ(all_of(Numbers(33, 5)).sums(), (StepSlots{20, 20, 20, 20, 20, 20, 20, 20, 5}));
  EXPECT_EQ(all_of(Numbers(33, 5)).steps_per_slot(), 4);
}

TEST(AllSteps, WaitingIsLeftOutOfAllStepsAlike) {
  const auto steps = [] {
    AllSteps all;
    all.add(100, 150);
    all.add(300, 350);
    return all;
  };
  AllSteps all = steps();
  all.leave_out(125);  // of 500
  EXPECT_EQ(all.sums()[0], 75);
  EXPECT_EQ(all.sums()[1], 225);
  all = steps();
  all.leave_out(0);
  all.leave_out(-5);
  EXPECT_EQ(all.sum(), 400);
  all.leave_out(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(all.sum(), 0);
  AllSteps nothing_known = all_of({7, 8});
  nothing_known.leave_out(3);
  EXPECT_EQ(nothing_known.sum(), 15);
  all = steps();
  all.restart();  // also drops the time of earlier steps
  all.add(100, 200);
  all.leave_out(100);
  EXPECT_EQ(all.sum(), 50);
}

TEST(AllSteps, RestartEmptiesIt) {
  AllSteps all = all_of(Numbers(100, 7));
  all.restart();
  EXPECT_EQ(all.steps(), 0);
  EXPECT_EQ(all.sum(), 0);
  EXPECT_EQ(all.steps_per_slot(), 1);
  EXPECT_EQ(all.sums(), StepSlots{});
  all.add(3);
  EXPECT_EQ(all.sums()[0], 3);
}

TEST(AllSteps, WhatNoClockShouldTell) {
  EXPECT_EQ(all_of({5, -7, 0, 6}).sum(), 11);
  EXPECT_EQ(all_of({5, -7, 0, 6}).steps(), 4);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(all_of({most, 1}).sum(), most);
  EXPECT_EQ(all_of(Numbers(40, most)).sum(), most);
  EXPECT_EQ(all_of({std::numeric_limits<std::int64_t>::lowest()}).sum(), 0);
}

// Compares the sums of slots of several ranks with all steps of these ranks.
TEST(AllSteps, RandomRunsOfSeveralRanks) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 300; ++run) {
    const auto steps = static_cast<std::size_t>(random() % (run < 200 ? 70 : 3000));
    std::vector<AllSteps> ranks(3);
    std::vector<Numbers> loads(3);
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t rank = 0; rank < 3; ++rank) {
        loads[rank].push_back(static_cast<std::int64_t>(random() % 1'000'000'000'000));
        ranks[rank].add(loads[rank].back());
      }
    const auto width = static_cast<std::size_t>(ranks[0].steps_per_slot());
    EXPECT_GE(width * AllSteps::slots, steps);
    EXPECT_TRUE(width == 1 || width * AllSteps::slots < 2 * steps) << "no wider than need be";
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(ranks[rank].steps(), static_cast<std::int64_t>(steps));
      EXPECT_EQ(ranks[rank].steps_per_slot(), static_cast<std::int64_t>(width));
      StepSlots expected{};
      for (std::size_t step = 0; step < steps; ++step) expected[step / width] += loads[rank][step];
      EXPECT_EQ(ranks[rank].sums(), expected);
      EXPECT_EQ(ranks[rank].sum(),
                std::accumulate(loads[rank].begin(), loads[rank].end(), std::int64_t{0}));
    }
  }
}

// --- Under other domains -------------------------------------------------------------------------

TEST(AllStepsSpread, VariesAsTheMeasuredLoadDoes) {
  EXPECT_EQ(all_of({10, 30, 20}).spread(40), (StepSlots{20, 60, 40}));
  EXPECT_EQ(all_of({0, 0}).spread(40), (StepSlots{40, 40}))
      << "without a load all steps are the same";
}

TEST(AllStepsSpread, StepsBeforeAndAfterAMoveHaveTheirOwnMean) {
  AllSteps all = all_of({10, 30});
  all.note_move();
  all.add(200);
  all.add(200);
  EXPECT_EQ(all.spread(40), (StepSlots{20, 60, 40, 40}));
  all.restart();
  all.add(10);
  all.add(30);
  EXPECT_EQ(all.spread(40), (StepSlots{20, 60}));
}

TEST(AllStepsSpread, OfSlotsOfSeveralStepsTheLastMayHaveFewer) {
  EXPECT_EQ(all_of(Numbers(17, 5)).spread(40), (StepSlots{80, 80, 80, 80, 80, 80, 80, 80, 40}));
}

TEST(AllStepsSpread, OfVeryManyMovesTheFirstOnesCount) {
  AllSteps all;
  for (int move = 0; move < 1000; ++move) {
    all.add(5);
    all.note_move();
  }
  EXPECT_EQ(all.spread(1).front(), all.steps_per_slot());
}

}  // namespace
}  // namespace evenkeel::all_steps_test
