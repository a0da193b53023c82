#include "decide/ledger.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

namespace evenkeel::ledger_test {
namespace {

// --- The cost of a rebalance ---------------------------------------------------------------------

struct Payment {
  double nanoseconds, bytes;
};

CostModel model_of(const std::vector<Payment>& payments) {
  CostModel model;
  for (const Payment& payment : payments) model.learn(payment.nanoseconds, payment.bytes);
  return model;
}

TEST(CostModel, KnowsNothingAtFirst) {
  EXPECT_FALSE(CostModel{}.knows());
  EXPECT_EQ(CostModel{}.cost, 0);
}

TEST(CostModel, TheFirstOneIsWhatTheNextWillCost) {
  const CostModel model = model_of({{700, 30}});
  EXPECT_TRUE(model.knows());
  EXPECT_EQ(model.cost, 700);
  EXPECT_EQ(model.bytes, 30);
  EXPECT_EQ(model_of({{700, 0}}).cost, 700);
}

// With two payments, the weights are 0.8 and 1; with three, they are 0.64, 0.8 and 1.
TEST(CostModel, OlderOnesCountLess) {
  EXPECT_DOUBLE_EQ(model_of({{10, 5}, {20, 5}}).cost, 28 / 1.8);
  EXPECT_DOUBLE_EQ(model_of({{10, 5}, {20, 5}, {40, 5}}).cost, 62.4 / 2.44);
  std::vector<Payment> payments(100, {10, 5});
  payments.insert(payments.end(), 60, {20, 5});
  EXPECT_NEAR(model_of(payments).cost, 20, 1e-4);
}

TEST(CostModel, FewBytesCostLessThanMany) {
  const CostModel linear = model_of({{1000, 100}, {100 + 9 * 20, 20}, {100 + 9 * 60, 60}});
  for (const double bytes : {20.0, 40.0, 80.0, 200.0})
    EXPECT_NEAR(linear.of(bytes), 100 + 9 * bytes, 0.15 * (100 + 9 * bytes)) << bytes;
  const CostModel fixed = model_of({{500, 100}, {500, 10}, {500, 60}, {500, 20}});
  for (const double bytes : {0.0, 20.0, 200.0}) EXPECT_NEAR(fixed.of(bytes), 500, 15) << bytes;
}

// Many small rebalances, after one that moved nearly everything.
TEST(CostModel, ManySmallOnesAreNotChargedAsOneThatIsLarge) {
  CostModel model = model_of({{40e6, 4e6}});
  EXPECT_EQ(model.of(1e5), 40e6) << "nothing shows yet which part follows the bytes";
  EXPECT_EQ(model.of(8e6), 40e6);
  model.learn(3e6, 1e5);
  EXPECT_NEAR(model.of(1e5), 3e6, 2e6);
  EXPECT_NEAR(model.of(4e6), 40e6, 4e6);
  for (int i = 0; i < 20; ++i) model.learn(3e6, 1e5);
  EXPECT_NEAR(model.of(1e5), 3e6, 1e4);
}

TEST(CostModel, NoBytesCostNotLessThanNothing) {
  EXPECT_GE(model_of({{10, 100}, {1000, 200}}).of(0), 0);
  EXPECT_GE(model_of({{10, 100}, {1000, 200}}).per_byte(), 0);
  EXPECT_EQ(model_of({{1000, 100}, {400, 200}}).per_byte(), 0) << "more never costs less";
}

// A rebalance that was delayed 50 times does not forbid the next ones.
TEST(CostModel, ADelayDoesNotCountInFull) {
  std::vector<Payment> payments(5, {100, 10});
  payments.push_back({5000, 10});
  EXPECT_LT(model_of(payments).cost, 160);
  EXPECT_LT(model_of({{5000, 10}, {100, 10}}).cost, 200) << "not even if it was the first";
  EXPECT_NEAR(model_of({{5000, 100}, {100, 2}}).of(100), 5000, 500) << "bytes explain this";
}

TEST(CostModel, LearnsCostsThatHaveGrownForGood) {
  std::vector<Payment> payments(20, {100, 10});
  payments.insert(payments.end(), 25, {5000, 10});
  EXPECT_NEAR(model_of(payments).cost, 5000, 100);
}

TEST(CostModel, TheFirstDistributionBoundsTheCostPerByte) {
  CostModel model = model_of({{100, 10}, {1000, 100}});
  EXPECT_NEAR(model.per_byte(), 10, 1);
  model.learn_first(800, 400);
  EXPECT_EQ(model.per_byte(), 2);
  model.learn_first(0, 400);
  EXPECT_EQ(model.per_byte(), 2) << "a distribution without a cost says nothing";
}

TEST(CostModel, BeforeAnythingWasMeasuredTheFirstDistributionBoundsTheGuess) {
  CostModel model;
  EXPECT_EQ(model.next(50), 50);
  model.learn_first(800, 400);
  EXPECT_EQ(model.next(50), 50);
  EXPECT_EQ(model.next(5000), 800);
  model.ahead = 100;
  EXPECT_EQ(model.next(50), 50);
  EXPECT_EQ(model.next(5000), 500) << "half of it is assumed to be fixed";
  model.ahead = 800;
  EXPECT_EQ(model.next(5000), 1600);
  model.learn(300, 10);
  EXPECT_EQ(model.cost, 300) << "it is no cost of a rebalance";
}

// A survey cannot see all data that moves.
TEST(CostModel, PredictionsAreScaledToWhatHasMoved) {
  CostModel model;
  model.ahead = 10;
  model.note_rebalance();
  EXPECT_LT(model.ahead, 0);
  model.learn(1000, 40);
  model.ahead = 20;
  model.note_rebalance();
  model.learn(2000, 80);
  EXPECT_EQ(model.next(1), model.cost) << "no survey since then";
  model.ahead = 10;
  EXPECT_EQ(model.next(1), model.of(40));
  EXPECT_LT(model.next(1), model.cost);
}

// --- A course ------------------------------------------------------------------------------------

TEST(Course, OfNothingIsNothing) {
  EXPECT_EQ(Course{}.total(), 0);
  EXPECT_LT(Course{}.level, 0) << "not known";
}

// A level belongs to the steps with which it is given, and to no others.
TEST(Course, WhatIsKnownOfEachIsTheirSum) {
  Course course;
  course.add(100, 0.5);
  course.add(100, 0);
  course.add(300, 0.1);
  EXPECT_DOUBLE_EQ(course.total(), 150 + 100 + 330);
  EXPECT_EQ(course.pending, 0);
}

// The levels are 0.2, 0.4, 0.6 and 0.8. Two of them are not given.
TEST(Course, ALineLeadsOverWhatIsNotKnown) {
  Course course;
  course.add(100, 0.2);
  course.add(100);
  course.add(100);
  EXPECT_DOUBLE_EQ(course.total(), 120 + 200 * 1.2) << "carried on, until something is known";
  EXPECT_EQ(course.pending, 200);
  course.add(100, 0.8);
  EXPECT_DOUBLE_EQ(course.total(), 120 + 140 + 160 + 180);
}

TEST(Course, BeforeTheFirstItWasWhatItIsThen) {
  Course course;
  course.add(100);
  EXPECT_EQ(course.total(), 100) << "of which nothing is known at all";
  course.add(50, 0.5);
  EXPECT_DOUBLE_EQ(course.total(), 225);
}

TEST(Course, ThatIsEvenIsKnown) {
  Course course;
  course.add(100, 0);
  course.add(100);
  EXPECT_EQ(course.total(), 200);
  course.add(100, 1);
  EXPECT_EQ(course.total(), 100 + 150 + 200) << "from 0 on, not from nowhere";
}

// Compares with a course that stores everything and computes each result from it.
TEST(Course, AgreesWithOneThatKeepsEverything) {
  struct Seen {
    double mean;
    std::optional<double> level;
  };
  std::mt19937_64 random(14);
  std::uniform_real_distribution<double> some(0, 1);
  for (int run = 0; run < 200; ++run) {
    std::vector<Seen> all;
    Course course;
    for (int i = 0; i < 30; ++i) {
      Seen seen = {1000 * some(random), std::nullopt};
      if (random() % 3 == 0) seen.level = some(random);
      all.push_back(seen);
      if (seen.level)
        course.add(seen.mean, *seen.level);
      else
        course.add(seen.mean);
      double expected = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        std::optional<double> before, after;
        for (std::size_t j = 0; j <= k; ++j)
          if (all[j].level) before = all[j].level;
        for (std::size_t j = all.size(); j-- > k;)
          if (all[j].level) after = all[j].level;
        const double level =
            before && after ? (*before + *after) / 2 : before.value_or(after.value_or(0));
        expected += all[k].mean * (1 + all[k].level.value_or(level));
      }
      ASSERT_NEAR(course.total(), expected, 1e-9 * (1 + expected)) << run << ' ' << i;
    }
  }
}

// --- One look ------------------------------------------------------------------------------------

using test::StepLoads;

// A look at ranks with these loads in each step.
Totals look(const std::vector<StepLoads>& ranks) {
  return test::over_ranks(ranks.size(), [&](std::size_t rank) {
    return totals_of(test::sample_of_steps(ranks[rank]), 0);
  });
}

// A look at one step with an average of 100, and `slowest` on the slowest rank.
Totals step_of(std::int64_t slowest) { return look({{slowest}, {200 - slowest}}); }

Totals with_previous(Totals totals, std::int64_t previous) {
  totals.would_be.previous = previous;
  return totals;
}

Totals with_cost(Totals totals, std::int64_t cost, std::int64_t bytes = 0) {
  totals.cost = cost;
  totals.bytes = bytes;
  return totals;
}

TEST(Ledger, AnEmptyOneOwesNothing) {
  const Ledger ledger;
  EXPECT_EQ(ledger.saved(), 0);
  EXPECT_EQ(ledger.uncertainty(), 0);
  EXPECT_EQ(ledger.last.net(), 0);
  EXPECT_FALSE(ledger.cost.knows());
}

// One rank is the slowest in the first step, the other one in the second step.
TEST(Ledger, EveryStepWaitsForItsSlowestRank) {
  Ledger ledger;
  ledger.enter(look({{10, 50}, {30, 10}}), true, true);
  EXPECT_EQ(ledger.run.steps, 2);
  EXPECT_EQ(ledger.run.measured_steps, 2);
  EXPECT_EQ(ledger.run.worked, 50);
  EXPECT_EQ(ledger.slowest, 80);
  EXPECT_DOUBLE_EQ(ledger.run.level, 0.6);
  ledger.enter(look({{10}, {10}}), true, true);
  EXPECT_EQ(ledger.run.steps, 3);
  EXPECT_EQ(ledger.run.worked, 60);
  EXPECT_EQ(ledger.slowest, 90);
  EXPECT_EQ(ledger.run.level, 0);
}

// Five steps have passed, of which two were measured. These took 100 and 300.
TEST(Ledger, CountsAllStepsAndTheMeasuredOnesApart) {
  const Totals totals = test::over_ranks(2, [](std::size_t rank) {
    Sample sample = test::sample_of_steps(StepLoads(5, rank == 0 ? 10 : 30));
    sample.steps = 2;
    sample.load = rank == 0 ? 20 : 60;
    sample.duration = rank == 0 ? 100 : 300;
    return totals_of(sample, 0);
  });
  Ledger ledger;
  ledger.enter(totals, true, true);
  EXPECT_EQ(ledger.run.steps, 5);
  EXPECT_EQ(ledger.run.measured_steps, 2);
  EXPECT_EQ(ledger.run.worked, 100);
  EXPECT_EQ(ledger.slowest, 150);
  EXPECT_EQ(ledger.run.covered, 40);
  EXPECT_EQ(ledger.run.elapsed, 200);
}

TEST(Ledger, ALookWithoutLoadSaysNothing) {
  Ledger ledger;
  ledger.enter(step_of(150), true, true);
  const double level = ledger.run.level;
  for (const bool is_first : {true, false}) {
    ledger.enter(look({{0, 0}, {0, 0}}), is_first, true);
    EXPECT_EQ(ledger.run.level, level);
    EXPECT_EQ(ledger.never.level, level);
    EXPECT_EQ(ledger.saved(), 0);
  }
  EXPECT_EQ(ledger.run.steps, 5);
}

TEST(Ledger, OneRankAloneLosesNothing) {
  Ledger ledger;
  for (int i = 0; i < 3; ++i) ledger.enter(look({{7, 8, 9}}), true, true);
  EXPECT_EQ(ledger.run.level, 0);
  EXPECT_DOUBLE_EQ(ledger.slowest, ledger.run.worked);
  EXPECT_DOUBLE_EQ(ledger.never.total(), 72);
}

// --- What is paid --------------------------------------------------------------------------------

Totals costs(std::int64_t own, std::int64_t rebuild, std::int64_t extra, std::int64_t bytes) {
  Totals totals = step_of(100);
  totals.cost = own;
  totals.rebuild = rebuild;
  totals.extra = extra;
  totals.bytes = bytes;
  return totals;
}

// The additional time of kernels is already in the steps of the slowest rank. It must not count
// again.
TEST(Ledger, WhatARebalanceCosts) {
  Ledger ledger;
  ledger.pay(costs(500, 70, 18, 64), true);
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.rebuilt, 70);
  EXPECT_EQ(ledger.last.price, 570);
  EXPECT_EQ(ledger.cost.cost, 579);
  EXPECT_EQ(ledger.cost.bytes, 64);
  ledger.pay(costs(100, 0, 0, 64), true);
  EXPECT_EQ(ledger.spent, 600);
  EXPECT_EQ(ledger.last.price, 670);
}

TEST(Ledger, WhatTheApplicationHasNotedIsAnotherPart) {
  Ledger ledger;
  Totals totals = costs(500, 70, 0, 64);
  totals.noted = 400;
  ledger.pay(totals, true);
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.rebuilt, 470);
  EXPECT_EQ(ledger.last.price, 970);
  EXPECT_EQ(ledger.cost.cost, 970);
  totals = costs(0, 0, 0, 0);
  totals.noted = 30;
  ledger.pay(totals, true);
  EXPECT_EQ(ledger.rebuilt, 500);
}

TEST(Ledger, WhatCostsNothingTeachesNothing) {
  Ledger ledger;
  ledger.pay(costs(0, 0, 0, 1000), true);
  EXPECT_FALSE(ledger.cost.knows());
  EXPECT_EQ(ledger.spent, 0);
}

TEST(Ledger, RebuildingAloneIsACostToo) {
  Ledger ledger;
  ledger.pay(costs(0, 70, 0, 10), true);
  EXPECT_EQ(ledger.cost.cost, 70);
  EXPECT_EQ(ledger.rebuilt, 70);
  Ledger kernels;
  kernels.pay(costs(0, 0, 18, 10), true);
  EXPECT_EQ(kernels.cost.cost, 9);
  EXPECT_EQ(kernels.spent + kernels.rebuilt, 0);
}

// The first distribution is always needed. It teaches nothing but a bound.
TEST(Ledger, TheFirstDistributionIsNotSpentAndIsNoCost) {
  Ledger ledger;
  Totals totals = step_of(100);
  totals.first_cost = 500;
  totals.first_bytes = 64;
  ledger.pay(totals, true);
  EXPECT_EQ(ledger.spent, 0);
  EXPECT_EQ(ledger.rebuilt, 0);
  EXPECT_EQ(ledger.last.price, 0);
  EXPECT_FALSE(ledger.cost.knows());
  EXPECT_EQ(ledger.cost.first_cost, 500);
  EXPECT_EQ(ledger.cost.first_bytes, 64);
  ledger.pay(costs(40, 0, 0, 16), true);
  EXPECT_EQ(ledger.cost.cost, 40);
  EXPECT_EQ(ledger.spent, 40);
}

TEST(Ledger, SeveralRebalancesBetweenLooksTeachWhatOneCosts) {
  Ledger ledger;
  Totals totals = costs(400, 40, 0, 64);
  totals.rebalances = 4;
  ledger.pay(totals, true);
  EXPECT_EQ(ledger.cost.cost, 110);
  EXPECT_EQ(ledger.cost.bytes, 16);
  EXPECT_EQ(ledger.spent, 400);
  EXPECT_EQ(ledger.rebuilt, 40);
}

TEST(Ledger, WhatBelongsToAnEarlierOneIsNotThePriceOfTheLast) {
  Ledger ledger;
  ledger.pay(costs(500, 70, 0, 64), false);
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.last.price, 0);
}

TEST(Ledger, OneThatMovesNothingSaysNothingOfThoseThatDo) {
  Ledger ledger;
  ledger.pay(costs(50, 0, 0, 0), true);
  EXPECT_EQ(ledger.cost.cost, 50) << "all that is known";
  ledger.pay(costs(500, 0, 0, 64), true);
  const double estimate = ledger.cost.cost;
  ledger.pay(costs(60, 0, 0, 0), true);
  EXPECT_EQ(ledger.cost.cost, estimate);
  EXPECT_EQ(ledger.spent, 610);
}

// --- Against the domains that were replaced ------------------------------------------------------

// Two steps of 150 with an average of 100, followed by a rebalance.
Ledger uneven_once() {
  Ledger ledger;
  ledger.enter(look({{150, 150}, {50, 50}}), true, true);
  ledger.open_entry();
  return ledger;
}

TEST(Ledger, ARebalanceIsCreditedWithWhatItSaves) {
  Ledger ledger = uneven_once();
  EXPECT_EQ(ledger.last.open, 1);
  EXPECT_EQ(ledger.last.net(), 0);
  ledger.pay(with_cost(step_of(110), 25), true);
  ledger.enter(with_previous(step_of(110), 160), false, true);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 50 - 25);
  ledger.enter(with_previous(step_of(110), 180), false, true);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 50 + 70 - 25);
  EXPECT_EQ(ledger.gains.counted, 0) << "it is still open";
  ledger.settle();
  EXPECT_EQ(ledger.last.open, 0);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 95);
  EXPECT_DOUBLE_EQ(ledger.gains.gained, 120) << "the cost is spent, not lost again";
  EXPECT_EQ(ledger.gains.counted, 1);
  EXPECT_EQ(ledger.gains.losses, 0);
}

TEST(Ledger, WhereNobodyKnowsItWouldHaveStayedAsItWas) {
  Ledger ledger = uneven_once();
  ledger.enter(step_of(110), false, true);
  ledger.enter(step_of(120), false, true);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 40 + 30);
}

// The level of the replaced domains is 50 at first. It is 70 when the level of the present domains
// has grown by 20. Between two looks it changes linearly.
TEST(Ledger, WhereNobodyKnowsItWouldHaveAgedAsThePresentDomainsDo) {
  Ledger ledger = uneven_once();
  ledger.enter(step_of(110), false, true);
  ledger.enter(step_of(130), false, true, 0.2);
  EXPECT_DOUBLE_EQ(ledger.last.net(), (160 - 110) + (170 - 130));
  ledger.enter(with_previous(step_of(130), 180), false, true, 0.3);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 90 + (180 - 130)) << "now it is known";
  ledger.enter(step_of(100), false, true, -2);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 90 + 50) << "no less than even";
}

// The measured load is that of the earlier domains.
TEST(Ledger, ALookAtEarlierDomainsTellsNothingOfThoseThatWereReplaced) {
  Ledger ledger = uneven_once();
  ledger.enter(with_previous(step_of(110), 190), false, false);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 40);
}

// In each step another rank happens to be slow, under any domains. So the replaced domains would
// have the same noise. In the first look after the rebalance, noise cannot be separated from steps
// under the earlier domains.
TEST(Ledger, WhatNoiseCostsIsNoLossOfARebalance) {
  Ledger ledger = uneven_once();
  const Totals noisy = with_previous(look({{120, 80}, {80, 120}}), 300);
  ledger.enter(noisy, false, true);
  EXPECT_DOUBLE_EQ(ledger.last.replaced.total(), 300);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 300 - 240);
  for (int looks = 2; looks <= 4; ++looks) {
    ledger.enter(noisy, false, true);
    EXPECT_DOUBLE_EQ(ledger.last.replaced.total(), 300 * looks + 40 * (looks - 1));
    EXPECT_DOUBLE_EQ(ledger.last.net(), 60 + 100 * (looks - 1));
  }
}

// In the step after the rebalance, kernels take 30 longer on both ranks. Without the rebalance they
// would not. So the time would have been 300, and it was 230.
TEST(Ledger, WhatKernelsTakeLongerAfterItIsLostOnce) {
  const Totals after = test::over_ranks(2, [](std::size_t) {
    Sample sample = test::sample_of_steps({100});
    test::tell_all_steps(sample, {130, 100});
    sample.cost = 5;
    sample.extra = 30;
    sample.would_be.previous = 150;
    return totals_of(sample, 0);
  });
  Ledger ledger = uneven_once();
  ledger.pay(after, true);
  ledger.enter(after, false, true);
  EXPECT_DOUBLE_EQ(ledger.last.replaced.total(), 300);
  EXPECT_DOUBLE_EQ(ledger.last.net(), 300 - 230 - 5);
  EXPECT_EQ(ledger.cost.cost, 35);
}

TEST(Ledger, IsSettledOnce) {
  Ledger ledger = uneven_once();
  ledger.enter(step_of(110), false, true);
  ledger.settle();
  const Ledger settled = ledger;
  ledger.settle();
  ledger.enter(step_of(110), false, true);
  ledger.settle();
  EXPECT_EQ(ledger.gains.gained, settled.gains.gained);
  EXPECT_EQ(ledger.gains.counted, 1);
}

TEST(Ledger, WhatDoesNotPayIsALoss) {
  const auto losses_of = [](std::int64_t cost) {
    Ledger ledger = uneven_once();
    const Totals after = with_cost(step_of(110), cost);
    ledger.pay(after, true);
    ledger.enter(after, false, true);
    EXPECT_NEAR(ledger.last.net(), 40 - static_cast<double>(cost), 1e-9);
    ledger.open_entry();  // settles the previous entry
    EXPECT_EQ(ledger.gains.counted, 1);
    EXPECT_EQ(ledger.last.price, 0);
    return ledger.gains.losses;
  };
  EXPECT_EQ(losses_of(0), 0);
  EXPECT_EQ(losses_of(39), 0);
  EXPECT_EQ(losses_of(41), 1);
}

TEST(Ledger, ARebalanceThatMadeItWorseIsALossWithoutACost) {
  Ledger ledger = uneven_once();
  ledger.enter(with_previous(step_of(180), 120), false, true);
  ledger.settle();
  EXPECT_NEAR(ledger.gains.gained, -60, 1e-9);
  EXPECT_EQ(ledger.gains.losses, 1);
}

TEST(Ledger, TheFirstDistributionReplacesNothing) {
  Ledger ledger;
  ledger.open_entry();
  EXPECT_EQ(ledger.last.open, 0);
  ledger.enter(with_previous(step_of(110), 190), true, true);
  EXPECT_EQ(ledger.last.net(), 0);
  ledger.settle();
  EXPECT_EQ(ledger.gains.counted, 0);
}

TEST(Ledger, WithoutLooksAfterTheGainIsNotKnown) {
  Ledger ledger = uneven_once();
  ledger.settle();
  EXPECT_EQ(ledger.last.open, 0);
  EXPECT_EQ(ledger.gains.counted, 0);
  EXPECT_EQ(ledger.gains.gained, 0);
}

// The domains before the first rebalance count as the replaced ones.
TEST(Ledger, TwoWithoutALookBetweenThemAreOne) {
  Ledger ledger = uneven_once();
  ledger.pay(costs(10, 0, 0, 8), true);
  ledger.open_entry();
  EXPECT_EQ(ledger.last.price, 10);
  ledger.pay(costs(7, 0, 0, 8), true);
  ledger.enter(step_of(110), false, true);
  ledger.settle();
  EXPECT_EQ(ledger.gains.counted, 1);
  EXPECT_NEAR(ledger.last.net(), 40 - 17, 1e-9);
}

TEST(Ledger, RemembersWhatWasPromised) {
  Ledger ledger = uneven_once();
  ledger.gains.promised = 1234;
  ledger.open_entry();
  EXPECT_EQ(ledger.last.predicted, 1234);
  EXPECT_EQ(ledger.gains.promised, 0);
  ledger.enter(step_of(110), false, true);
  ledger.open_entry();
  EXPECT_EQ(ledger.gains.foreseen, 1234);
  EXPECT_EQ(ledger.last.predicted, 0) << "no look came in between";
}

// --- The error bar -------------------------------------------------------------------------------

// The level was 0.5 before the rebalance. No survey has shown it since then.
TEST(Ledger, ALevelThatIsNotKnownMayBeNothingOrTwiceTheLastOne) {
  Ledger ledger = uneven_once();
  EXPECT_EQ(ledger.uncertainty(), 0);
  ledger.enter(step_of(110), false, true);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), 50);
  ledger.enter(step_of(110), false, true);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), 100);
}

// Forecasts miss by 3 and 4 %. The mean of the squares is then 9 + 0.3 * (16 - 9), times 1e-4.
TEST(Ledger, TheErrorsOfAllSurveysHaveTheSameSign) {
  Totals surveyed = step_of(110);
  surveyed.would_be.first = 150;
  surveyed.other_slots = test::all_of({150}).sums();
  Ledger ledger = uneven_once();
  ledger.enter(surveyed, false, true);
  EXPECT_EQ(ledger.uncertainty(), 0) << "no forecast was wrong yet";
  ledger.miss(0.03);
  ledger.enter(surveyed, false, true);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), 1.6 * 3);
  ledger.miss(-0.04);
  ledger.enter(surveyed, false, true);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), 1.6 * (3 + std::sqrt(11.1)));
}

// The level is 0.5, and half of the load is on objects that the application has made.
TEST(Ledger, TheFirstRanksOfNewObjectsAreInDoubt) {
  Totals surveyed = step_of(110);
  surveyed.would_be.first = 150;
  surveyed.other_slots = test::all_of({150}).sums();
  surveyed.would_be.guessed = 50;
  Ledger ledger = uneven_once();
  ledger.enter(surveyed, false, true);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), 1.6 * 100 * 0.15 * 0.5 * 0.5);
}

// Noise makes the step after the rebalance shorter on one rank and longer on the other. That is no
// cost.
TEST(Ledger, NoiseOfTheStepAfterARebalanceIsNoCost) {
  const Totals after = test::over_ranks(2, [](std::size_t rank) {
    Sample sample = test::sample_of_steps({100});
    sample.cost = 5;
    sample.extra = rank == 0 ? -30 : 30;
    return totals_of(sample, 0);
  });
  Ledger ledger = uneven_once();
  ledger.pay(after, true);
  EXPECT_EQ(ledger.cost.cost, 5);
  ledger.enter(after, false, true);
  EXPECT_GE(ledger.never.total(), ledger.run.worked) << "it is no gain either";
}

}  // namespace
}  // namespace evenkeel::ledger_test
