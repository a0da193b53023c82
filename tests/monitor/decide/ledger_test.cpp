#include "decide/ledger.hpp"
#include "agree/epoch.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace evenkeel {
namespace {

// --- What a rebalance costs ----------------------------------------------------------------------

struct Payment {
  double nanoseconds, bytes;
};

CostModel model_of(const std::vector<Payment>& payments) {
  CostModel model;
  for (const Payment& payment : payments) model.learn(payment.nanoseconds, payment.bytes);
  return model;
}

// The weighted least squares line by two passes over all that was ever paid, in long double.
double expected_estimate(const std::vector<Payment>& payments) {
  std::vector<long double> weights(payments.size(), 1);
  for (std::size_t i = payments.size() - 1; i > 0; --i) weights[i - 1] = 0.8L * weights[i];
  long double weight = 0, cost = 0, bytes = 0;
  for (std::size_t i = 0; i < payments.size(); ++i) {
    weight += weights[i];
    cost += weights[i] * static_cast<long double>(payments[i].nanoseconds);
    bytes += weights[i] * static_cast<long double>(payments[i].bytes);
  }
  cost /= weight;
  bytes /= weight;
  long double spread = 0, together = 0;
  for (std::size_t i = 0; i < payments.size(); ++i) {
    const long double off = payments[i].bytes - bytes;
    spread += weights[i] * off * off;
    together += weights[i] * off * (payments[i].nanoseconds - cost);
  }
  if (spread == 0 || together <= 0) return static_cast<double>(cost);
  const long double line = cost + together / spread * (payments.back().bytes - bytes);
  return static_cast<double>(std::max(0.0L, line));
}

TEST(CostModel, KnowsNothingAtFirst) {
  EXPECT_FALSE(CostModel{}.knows());
  EXPECT_EQ(CostModel{}.estimate(), 0);
}

TEST(CostModel, TheFirstOneIsWhatTheNextWillCost) {
  const CostModel model = model_of({{700, 30}});
  EXPECT_TRUE(model.knows());
  EXPECT_EQ(model.estimate(), 700);
  EXPECT_EQ(model.last_bytes, 30);
  EXPECT_EQ(model_of({{700, 0}}).estimate(), 700);
}

// Weights 0.8 and 1, then 0.64, 0.8 and 1.
TEST(CostModel, OlderOnesCountLess) {
  EXPECT_DOUBLE_EQ(model_of({{10, 5}, {20, 5}}).estimate(), 28 / 1.8);
  EXPECT_DOUBLE_EQ(model_of({{10, 5}, {20, 5}, {40, 5}}).estimate(), 62.4 / 2.44);
  std::vector<Payment> payments(100, {10, 5});
  payments.insert(payments.end(), 60, {20, 5});
  EXPECT_NEAR(model_of(payments).estimate(), 20, 1e-4);
}

// 100 and 3 for each byte.
TEST(CostModel, FollowsTheBytesOfTheLast) {
  std::vector<Payment> payments;
  for (const double bytes : {10.0, 20.0, 50.0, 0.0, 1000.0, 1000.0}) {
    payments.push_back({100 + 3 * bytes, bytes});
    EXPECT_NEAR(model_of(payments).estimate(), 100 + 3 * bytes, 1e-9) << bytes;
  }
}

TEST(CostModel, WhatCostsLessForMoreBytesIsNoLine) {
  EXPECT_DOUBLE_EQ(model_of({{20, 5}, {10, 50}}).estimate(), 26 / 1.8);
  EXPECT_DOUBLE_EQ(model_of({{20, 5}, {20, 50}}).estimate(), 20);
}

TEST(CostModel, TooLittleDifferenceInBytesIsRounding) {
  const double many = 1e12;
  EXPECT_NEAR(model_of({{10, many}, {20, many + 1}, {40, many + 2}}).estimate(), 62.4 / 2.44, 1e-9);
}

// The line through these falls below nothing at 5 bytes.
TEST(CostModel, IsNeverNegative) {
  EXPECT_EQ(model_of({{0, 5}, {0, 6}, {100, 10}, {0, 5}}).estimate(), 0);
}

TEST(CostModel, IsTheWeightedLeastSquaresLine) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> noise(0, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double per_byte = 4 * noise(random) - 1;  // sometimes falling
    const double scale = std::pow(10, 9 * noise(random));
    std::vector<Payment> payments;
    CostModel model;
    for (int i = 0; i < 20; ++i) {
      const double bytes = scale * noise(random);
      const double cost = std::max(0.0, scale * (1 + noise(random)) + per_byte * bytes);
      payments.push_back({cost, bytes});
      model.learn(cost, bytes);
      const double expected = expected_estimate(payments);
      ASSERT_NEAR(model.estimate(), expected, 1e-7 * scale) << repeat << ' ' << i;
    }
  }
}

// --- A course ------------------------------------------------------------------------------------

TEST(Course, OfNothingIsNothing) {
  EXPECT_EQ(Course{}.total(), 0);
  EXPECT_LT(Course{}.level, 0) << "not known";
}

// The level is that of the steps which it comes with: each of them counts by it, and no other.
TEST(Course, WhatIsKnownOfEachIsTheirSum) {
  Course course;
  course.add(100, 0.5);
  course.add(100, 0);
  course.add(300, 0.1);
  EXPECT_DOUBLE_EQ(course.total(), 150 + 100 + 330);
  EXPECT_EQ(course.pending, 0);
}

// Levels 0.2, 0.4, 0.6 and 0.8, of which two are not told.
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

// By one that keeps everything and goes through it again.
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

// Of ranks that have worked so in each step.
Totals look(const std::vector<StepLoads>& ranks) {
  return test::over_ranks(ranks.size(), [&](std::size_t rank) {
    return totals_of(test::sample_of_steps(ranks[rank]), 0);
  });
}

// Of one step of the average 100, of which the slowest rank takes so much.
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
  EXPECT_EQ(ledger.net_so_far(), 0);
  EXPECT_FALSE(ledger.cost.knows());
}

// In the first step the one rank is the slowest, in the second the other.
TEST(Ledger, EveryStepWaitsForItsSlowestRank) {
  Ledger ledger;
  ledger.enter(look({{10, 50}, {30, 10}}), true, true);
  EXPECT_EQ(ledger.steps, 2);
  EXPECT_EQ(ledger.measured_steps, 2);
  EXPECT_EQ(ledger.worked, 50);
  EXPECT_EQ(ledger.slowest, 80);
  EXPECT_DOUBLE_EQ(ledger.level, 0.6);
  ledger.enter(look({{10}, {10}}), true, true);
  EXPECT_EQ(ledger.steps, 3);
  EXPECT_EQ(ledger.worked, 60);
  EXPECT_EQ(ledger.slowest, 90);
  EXPECT_EQ(ledger.level, 0);
}

// Five steps, of which two were measured, in a time of 100 and 300.
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
  EXPECT_EQ(ledger.steps, 5);
  EXPECT_EQ(ledger.measured_steps, 2);
  EXPECT_EQ(ledger.worked, 100);
  EXPECT_EQ(ledger.slowest, 150);
  EXPECT_EQ(ledger.covered, 40);
  EXPECT_EQ(ledger.elapsed, 200);
}

TEST(Ledger, ALookWithoutLoadSaysNothing) {
  Ledger ledger;
  ledger.enter(step_of(150), true, true);
  const double level = ledger.level;
  for (const bool is_first : {true, false}) {
    ledger.enter(look({{0, 0}, {0, 0}}), is_first, true);
    EXPECT_EQ(ledger.level, level);
    EXPECT_EQ(ledger.never.level, level);
    EXPECT_EQ(ledger.saved(), 0);
  }
  EXPECT_EQ(ledger.steps, 5);
}

TEST(Ledger, OneRankAloneLosesNothing) {
  Ledger ledger;
  for (int i = 0; i < 3; ++i) ledger.enter(look({{7, 8, 9}}), true, true);
  EXPECT_EQ(ledger.level, 0);
  EXPECT_DOUBLE_EQ(ledger.slowest, ledger.worked);
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

// What kernels have taken longer is in the slowest ranks' steps already, and is not spent again.
TEST(Ledger, WhatARebalanceCosts) {
  Ledger ledger;
  ledger.pay(costs(500, 70, 9, 64), true, true);
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.rebuilt, 70);
  EXPECT_EQ(ledger.price, 570);
  EXPECT_EQ(ledger.cost.estimate(), 579);
  EXPECT_EQ(ledger.cost.last_bytes, 64);
  ledger.pay(costs(100, 0, 0, 64), true, true);
  EXPECT_EQ(ledger.spent, 600);
  EXPECT_EQ(ledger.price, 670);
}

TEST(Ledger, WhatCostsNothingTeachesNothing) {
  Ledger ledger;
  ledger.pay(costs(0, 0, 0, 1000), true, true);
  EXPECT_FALSE(ledger.cost.knows());
  EXPECT_EQ(ledger.spent, 0);
}

TEST(Ledger, RebuildingAloneIsACostToo) {
  Ledger ledger;
  ledger.pay(costs(0, 70, 0, 10), true, true);
  EXPECT_EQ(ledger.cost.estimate(), 70);
  EXPECT_EQ(ledger.rebuilt, 70);
  Ledger kernels;
  kernels.pay(costs(0, 0, 9, 10), true, true);
  EXPECT_EQ(kernels.cost.estimate(), 9);
  EXPECT_EQ(kernels.spent + kernels.rebuilt, 0);
}

TEST(Ledger, WhatIsNotSpentTeachesAllTheSame) {
  Ledger ledger;
  ledger.pay(costs(500, 70, 9, 64), false, true);
  EXPECT_EQ(ledger.spent, 0);
  EXPECT_EQ(ledger.rebuilt, 0);
  EXPECT_EQ(ledger.price, 0);
  EXPECT_EQ(ledger.cost.estimate(), 579);
}

TEST(Ledger, WhatBelongsToAnEarlierOneIsNotThePriceOfTheLast) {
  Ledger ledger;
  ledger.pay(costs(500, 70, 0, 64), true, false);
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.price, 0);
}

TEST(Ledger, OneThatMovesNothingSaysNothingOfThoseThatDo) {
  Ledger ledger;
  ledger.pay(costs(50, 0, 0, 0), true, true);
  EXPECT_EQ(ledger.cost.estimate(), 50) << "all that is known";
  ledger.pay(costs(500, 0, 0, 64), true, true);
  const double estimate = ledger.cost.estimate();
  ledger.pay(costs(60, 0, 0, 0), true, true);
  EXPECT_EQ(ledger.cost.estimate(), estimate);
  EXPECT_EQ(ledger.cost.last_bytes, 64);
  EXPECT_EQ(ledger.spent, 610);
}

// --- Against the domains that were replaced ------------------------------------------------------

// Two steps of 150 where the average is 100, and then a rebalance.
Ledger uneven_once() {
  Ledger ledger;
  ledger.enter(look({{150, 150}, {50, 50}}), true, true);
  ledger.open_entry();
  return ledger;
}

TEST(Ledger, ARebalanceIsCreditedWithWhatItSaves) {
  Ledger ledger = uneven_once();
  EXPECT_EQ(ledger.open, 1);
  EXPECT_EQ(ledger.net_so_far(), 0);
  ledger.pay(with_cost(step_of(110), 25), true, true);
  ledger.enter(with_previous(step_of(110), 160), false, true);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 50 - 25);
  ledger.enter(with_previous(step_of(110), 180), false, true);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 50 + 70 - 25);
  EXPECT_EQ(ledger.counted, 0) << "it is still open";
  ledger.settle();
  EXPECT_EQ(ledger.open, 0);
  EXPECT_DOUBLE_EQ(ledger.last_net, 95);
  EXPECT_DOUBLE_EQ(ledger.gained, 120) << "the cost is spent, not lost again";
  EXPECT_EQ(ledger.counted, 1);
  EXPECT_EQ(ledger.losses, 0);
  EXPECT_EQ(ledger.squares, 200.0 * 200.0);
}

TEST(Ledger, WhereNobodyKnowsItWouldHaveStayedAsItWas) {
  Ledger ledger = uneven_once();
  ledger.enter(step_of(110), false, true);
  ledger.enter(step_of(120), false, true);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 40 + 30);
}

// 50 at first, 70 when the present ones have grown by 20. Between two looks it changes evenly.
TEST(Ledger, WhereNobodyKnowsItWouldHaveAgedAsThePresentDomainsDo) {
  Ledger ledger = uneven_once();
  ledger.enter(step_of(110), false, true);
  ledger.enter(step_of(130), false, true, 0.2);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), (160 - 110) + (170 - 130));
  ledger.enter(with_previous(step_of(130), 180), false, true, 0.3);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 90 + (180 - 130)) << "now it is known";
  ledger.enter(step_of(100), false, true, -2);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 90 + 50) << "no less than even";
}

// The measured load is of the domains before.
TEST(Ledger, ALookAtEarlierDomainsTellsNothingOfThoseThatWereReplaced) {
  Ledger ledger = uneven_once();
  ledger.enter(with_previous(step_of(110), 190), false, false);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 40);
}

// In each step another rank is slow for once: whatever the domains, and so it would have been. In
// the first look after it that cannot be told from steps that were still under the domains before.
TEST(Ledger, WhatNoiseCostsIsNoLossOfARebalance) {
  Ledger ledger = uneven_once();
  const Totals noisy = with_previous(look({{120, 80}, {80, 120}}), 300);
  ledger.enter(noisy, false, true);
  EXPECT_DOUBLE_EQ(ledger.replaced.total(), 300);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 300 - 240);
  for (int looks = 2; looks <= 4; ++looks) {
    ledger.enter(noisy, false, true);
    EXPECT_DOUBLE_EQ(ledger.replaced.total(), 300 * looks + 40 * (looks - 1));
    EXPECT_DOUBLE_EQ(ledger.net_so_far(), 60 + 100 * (looks - 1));
  }
}

// Kernels take 30 more on both ranks in the step after it, as they would not have done otherwise:
// 300 it would have been, and 230 it was.
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
  ledger.pay(after, true, true);
  ledger.enter(after, false, true);
  EXPECT_DOUBLE_EQ(ledger.replaced.total(), 300);
  EXPECT_DOUBLE_EQ(ledger.net_so_far(), 300 - 230 - 5);
  EXPECT_EQ(ledger.cost.estimate(), 35);
}

TEST(Ledger, IsSettledOnce) {
  Ledger ledger = uneven_once();
  ledger.enter(step_of(110), false, true);
  ledger.settle();
  const Ledger settled = ledger;
  ledger.settle();
  ledger.enter(step_of(110), false, true);
  ledger.settle();
  EXPECT_EQ(ledger.gained, settled.gained);
  EXPECT_EQ(ledger.counted, 1);
  EXPECT_EQ(ledger.squares, settled.squares);
}

TEST(Ledger, WhatDoesNotPayIsALoss) {
  const auto losses_of = [](std::int64_t cost) {
    Ledger ledger = uneven_once();
    const Totals after = with_cost(step_of(110), cost);
    ledger.pay(after, true, true);
    ledger.enter(after, false, true);
    ledger.open_entry();  // settles the one before
    EXPECT_EQ(ledger.counted, 1);
    EXPECT_NEAR(ledger.last_net, 40 - static_cast<double>(cost), 1e-9);
    EXPECT_EQ(ledger.price, 0);
    return ledger.losses;
  };
  EXPECT_EQ(losses_of(0), 0);
  EXPECT_EQ(losses_of(39), 0);
  EXPECT_EQ(losses_of(41), 1);
}

TEST(Ledger, ARebalanceThatMadeItWorseIsALossWithoutACost) {
  Ledger ledger = uneven_once();
  ledger.enter(with_previous(step_of(180), 120), false, true);
  ledger.settle();
  EXPECT_NEAR(ledger.gained, -60, 1e-9);
  EXPECT_EQ(ledger.losses, 1);
}

TEST(Ledger, TheFirstDistributionReplacesNothing) {
  Ledger ledger;
  ledger.open_entry();
  EXPECT_EQ(ledger.open, 0);
  ledger.enter(with_previous(step_of(110), 190), true, true);
  EXPECT_EQ(ledger.net_so_far(), 0);
  ledger.settle();
  EXPECT_EQ(ledger.counted, 0);
}

TEST(Ledger, WithoutLooksAfterTheGainIsNotKnown) {
  Ledger ledger = uneven_once();
  ledger.settle();
  EXPECT_EQ(ledger.open, 0);
  EXPECT_EQ(ledger.counted, 0);
  EXPECT_EQ(ledger.gained, 0);
}

// The first of them has replaced what there was.
TEST(Ledger, TwoWithoutALookBetweenThemAreOne) {
  Ledger ledger = uneven_once();
  ledger.pay(costs(10, 0, 0, 8), true, true);
  ledger.open_entry();
  EXPECT_EQ(ledger.price, 10);
  ledger.pay(costs(7, 0, 0, 8), true, true);
  ledger.enter(step_of(110), false, true);
  ledger.settle();
  EXPECT_EQ(ledger.counted, 1);
  EXPECT_NEAR(ledger.last_net, 40 - 17, 1e-9);
}

TEST(Ledger, RemembersWhatWasPromised) {
  Ledger ledger = uneven_once();
  ledger.promised = 1234;
  ledger.open_entry();
  EXPECT_EQ(ledger.predicted, 1234);
  EXPECT_EQ(ledger.promised, 0);
  ledger.enter(step_of(110), false, true);
  ledger.open_entry();
  EXPECT_EQ(ledger.foreseen, 1234);
  EXPECT_EQ(ledger.predicted, 0) << "nobody has looked in between";
}

// --- How far it may be off -----------------------------------------------------------------------

// Misses of 3 and 4 %: 25 / 2 in square. Over two intervals of 100 and 200, and an open one of 50.
TEST(Ledger, TheUncertaintyIsThatOfWhatWasForeseen) {
  Ledger ledger = uneven_once();
  EXPECT_EQ(ledger.uncertainty(), 0);
  ledger.enter(step_of(110), false, true);
  ledger.miss(0.03);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), 3);
  ledger.open_entry();
  ledger.miss(-0.04);
  ledger.enter(look({{100, 100}, {100, 100}}), false, true);
  const double miss = std::sqrt(0.00125);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), miss * std::sqrt(50'000));
  ledger.open_entry();
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), miss * std::sqrt(50'000));
  ledger.enter(look({{50}, {50}}), false, true);
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), miss * std::sqrt(52'500));
  ledger.settle();
  EXPECT_DOUBLE_EQ(ledger.uncertainty(), miss * std::sqrt(52'500));
}

}  // namespace
}  // namespace evenkeel
