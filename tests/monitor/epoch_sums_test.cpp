#include "epoch_sums.hpp"
#include "support/harness.hpp"

#include <evenkeel/monitor/truncated_mean.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace evenkeel {
namespace {

using Numbers = std::vector<std::int64_t>;

using Options = std::vector<KernelOptions>;

void add(EpochSums& sums, const Numbers& kernels, const Options& options = {}) {
  const std::int64_t load = std::accumulate(kernels.begin(), kernels.end(), std::int64_t{0});
  sums.add({.duration = 2 * load, .load = load, .fit = true}, kernels, options);
}

// One kernel, with so many nanoseconds in each step.
EpochSums sums_of(const Numbers& steps, const KernelOptions& options = {}) {
  EpochSums sums;
  for (const std::int64_t nanoseconds : steps) add(sums, {nanoseconds}, {options});
  return sums;
}

// --- An epoch ------------------------------------------------------------------------------------

TEST(EpochSums, ByHand) {
  EpochSums sums;
  sums.add({.duration = 100, .load = 10, .fit = true}, Numbers{4, 6});
  sums.add({.duration = 300, .load = 20, .fit = true}, Numbers{20, 0});
  sums.add({.duration = 500, .load = 30, .fit = true}, Numbers{2, 28});
  sums.add({.duration = 100, .load = 10, .fit = true}, Numbers{6, 4});
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 4);
  EXPECT_EQ(sample.kernels, (Numbers{20, 38})) << "4 x (4 + 6) / 2, and the sum";
  EXPECT_EQ(sample.phases, (Numbers{58}));
  EXPECT_EQ(sample.load, 58);
  EXPECT_EQ(sample.duration, 988) << "12 were left out";
  EXPECT_TRUE(sample.fit);
  // Of 4, 4, 6, 6: 4 / 3, times 4, and half of them are used; of 6, 28, 4: 3 x 532 / 3 ...
  const double runs = truncated_sum_variance(Numbers{6, 28, 4});
  EXPECT_EQ(sample.variance, static_cast<std::int64_t>(4 * 4 / 3.0 * 4 + runs));
  EXPECT_EQ(sums.steps(), 4);
  EXPECT_EQ(sums.mean_load(), 14);
}

TEST(EpochSums, LeavesTheRestOfTheSample) {
  const Sample sample = sums_of({10}).sample(1);
  EXPECT_EQ(sample.step, 0);
  EXPECT_EQ(sample.generation, 0);
  EXPECT_EQ(sample.objects, 0);
  EXPECT_EQ(sample.cost, 0);
  EXPECT_EQ(sample.names, 0U);
}

TEST(EpochSums, ADisturbedStepIsLeftOut) {
  const Sample calm = sums_of({100, 101, 99, 100, 100, 102, 98, 100}).sample(1);
  const Sample disturbed = sums_of({100, 101, 99, 90000, 100, 102, 98, 100}).sample(1);
  EXPECT_EQ(calm.load, 800);
  EXPECT_NEAR(static_cast<double>(disturbed.load), 800, 3);
  EXPECT_LT(disturbed.variance, 50);
}

// A least coverage asks what kernels cover, not how calm the steps were.
TEST(EpochSums, TruncationLeavesTheCoverage) {
  EpochSums sums;
  for (const std::int64_t step : {100, 100, 100, 9100, 100, 100, 100, 100})
    sums.add({.duration = step + 50, .load = step, .fit = true}, Numbers{step});
  EXPECT_EQ(sums.sample(1).load, 800);
  EXPECT_EQ(sums.sample(1).duration, 1200);
}

TEST(EpochSums, WhatTwoKernelsGiveIsTruncatedApart) {
  EpochSums sums;
  for (const std::int64_t step : {0, 1, 2, 3, 4, 5, 6, 7})
    add(sums, {step == 2 ? 5000 : 10, step == 5 ? 7000 : 20});
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{80, 160}));
}

TEST(EpochSums, PhasesAddUpTheirKernels) {
  EpochSums sums;
  const Options options = {{.phase = 3}, {.phase = 0}, {.phase = 3}};
  for (int step = 0; step < 8; ++step) add(sums, {1, 20, 300}, options);
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.phases, (Numbers{160, 0, 0, 2408}));
  EXPECT_EQ(sample.load, 2568);
}

// --- Work that recurs ----------------------------------------------------------------------------

// Whatever the epoch, over a long time nothing of it is lost.
TEST(EpochSums, WorkThatRecursIsSummed) {
  for (const int period : {2, 3, 7})
    for (int epoch = 6; epoch <= 10; ++epoch)
      for (const bool is_told : {false, true}) {
        EpochSums sums;
        std::int64_t found = 0, expected = 0;
        int step = 0;
        for (int looks = 0; looks < 21; ++looks) {
          for (int i = 0; i < epoch; ++i, ++step) {
            const std::int64_t work = step % period == 0 ? 1000 + step : 0;
            add(sums, {50, work}, {{}, {.every = is_told ? period : 0}});
            expected += work;
          }
          const Sample sample = sums.sample(1);
          EXPECT_EQ(sample.kernels[0], 50 * epoch);
          EXPECT_EQ(sample.load, sample.kernels[0] + sample.kernels[1]);
          found += sample.kernels[1];
          sums.restart();
        }
        EXPECT_EQ(found, expected) << "every " << period << " steps, in epochs of " << epoch;
        EXPECT_EQ(sums.mean_load(), (50 * step + expected) / step);
      }
}

// A kernel that runs in every step, but does most of its work in some.
TEST(EpochSums, WorkThatIsSaidToRecurIsNotTruncated) {
  const Numbers steps = {1, 1, 1, 900, 1, 1, 1, 900};
  EXPECT_EQ(sums_of(steps, {.every = 4}).sample(1).load, 1806);
  EXPECT_EQ(sums_of({1, 1, 1, 1, 1, 1, 1, 900}, {.every = 8}).sample(1).load, 907);
  EXPECT_EQ(sums_of({1, 1, 1, 1, 1, 1, 1, 900}, {.every = 1}).sample(1).load, 8);
}

TEST(EpochSums, WorkThatRecursDoesNotScatterForThat) {
  EXPECT_EQ(sums_of({0, 0, 500, 0, 0, 500, 0, 0}).sample(1).variance, 0);
  EXPECT_EQ(sums_of({0, 0, 0, 500, 0, 0, 0, 0}).sample(1).variance, 0) << "seen once";
  EXPECT_EQ(sums_of({0, 0, 490, 0, 0, 510, 0, 0}).sample(1).variance, 400);
}

TEST(EpochSums, AKernelThatNeverRanIsNothing) {
  EpochSums sums;
  for (int step = 0; step < 8; ++step) add(sums, {0, 5});
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{0, 40}));
  EXPECT_EQ(sums.sample(1).variance, 0);
}

// --- Long epochs ---------------------------------------------------------------------------------

TEST(EpochSums, LongEpochsAreTruncatedInChunks) {
  constexpr int steps = 100000;
  EpochSums sums;
  std::int64_t recurring = 0;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t now = step % 7 == 0 ? 10 * step : 0;
    recurring += now;
    add(sums, {step % 50 == 0 ? 1'000'000 : 100, now, step < 99999 ? 30 : 0});
  }
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.steps, steps);
  EXPECT_EQ(sample.kernels, (Numbers{100 * steps, recurring, 30 * (steps - 1)}));
  EXPECT_EQ(sums.mean_load(), sample.load / steps);
}

TEST(EpochSums, AChunkIsNeverLeftWithFewSteps) {
  for (int steps = 6; steps < 300; ++steps) {
    EpochSums sums;
    for (int step = 1; step <= steps; ++step) add(sums, {step == steps ? 1'000'000 : 10});
    EXPECT_EQ(sums.sample(1).load, 10 * steps) << "the last one is disturbed";
  }
}

TEST(EpochSums, TheVarianceOfLongEpochsAddsUp) {
  const auto variance_after = [](int steps) {
    EpochSums sums;
    for (int step = 0; step < steps; ++step) add(sums, {1000 + step % 8});
    return static_cast<double>(sums.sample(1).variance);
  };
  EXPECT_NEAR(variance_after(6400) / variance_after(64), 100, 1);
}

// --- Variance, fitness, growth -------------------------------------------------------------------

TEST(EpochSums, TheVarianceIsInUnitsSquared) {
  const EpochSums sums = sums_of({10, 20, 30});  // 300 in nanoseconds
  EXPECT_EQ(sums.sample(10).variance, 3);
  EXPECT_EQ(sums.sample(7).variance, 6);  // 300 / 49 is 6.12
  EXPECT_EQ(sums.sample(1000).variance, 0);
  EXPECT_EQ(sums.sample(0).variance, 0);
  EXPECT_EQ(sums.sample(-1).variance, 0);
}

TEST(EpochSums, NothingMeasuredIsUnfit) {
  const EpochSums sums;
  const Sample sample = sums.sample(1);
  EXPECT_FALSE(sample.fit);
  EXPECT_EQ(sample.steps, 0);
  EXPECT_EQ(sample.load, 0);
  EXPECT_EQ(sample.duration, 0);
  EXPECT_EQ(sample.variance, 0);
  EXPECT_TRUE(sample.kernels.empty());
  EXPECT_EQ(sums.mean_load(), 0);
}

TEST(EpochSums, OneStepDoesNotScatter) {
  const Sample sample = sums_of({17}).sample(1);
  EXPECT_TRUE(sample.fit);
  EXPECT_EQ(sample.load, 17);
  EXPECT_EQ(sample.variance, 0);
  EXPECT_EQ(sums_of({17, 17, 17, 17}).sample(1).variance, 0);
}

// So that 2^20 ranks can add up theirs.
TEST(EpochSums, TheVarianceIsBounded) {
  const std::int64_t hour = std::int64_t{3600} * 1'000'000'000;
  EXPECT_EQ(sums_of({1, hour}).sample(1).variance, std::int64_t{1} << 40);
  EXPECT_EQ(sums_of({1, 1, hour, hour}).sample(1000).variance, std::int64_t{1} << 40);
  const std::int64_t below = std::int64_t{1} << 19;  // the variance is 2^38
  EXPECT_EQ(sums_of({1, below + 1}).sample(1).variance, below * below);
}

TEST(EpochSums, OneUnfitStepSpoilsTheEpochAndNoOther) {
  EpochSums sums;
  add(sums, {1});
  sums.add({.duration = 5, .load = 3, .fit = false}, Numbers{3});
  add(sums, {2});
  EXPECT_FALSE(sums.sample(1).fit);
  EXPECT_EQ(sums.sample(1).load, 6);
  sums.restart();
  add(sums, {2});
  EXPECT_TRUE(sums.sample(1).fit);
  sums.add({.duration = 5, .load = 3, .fit = false}, Numbers{3});
  sums.restart_all();
  add(sums, {2});
  EXPECT_TRUE(sums.sample(1).fit);
}

TEST(EpochSums, KernelsMayBecomeMore) {
  EpochSums sums;
  add(sums, {});
  add(sums, {1});
  add(sums, {20, 0, 3});
  add(sums, {300});  // as from a clock that knew fewer
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{321, 0, 3}));
  sums.restart();
  for (int step = 0; step < 200; ++step) add(sums, {1, 2, 3, 4});
  add(sums, {1, 2, 3, 4, 5});
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{201, 402, 603, 804, 5}));
}

TEST(EpochSums, RestartBeginsAnEpoch) {
  EpochSums sums = sums_of({10, 30});
  add(sums, {50, 5});
  sums.restart();
  EXPECT_EQ(sums.steps(), 0);
  EXPECT_EQ(sums.mean_load(), 31) << "since the last rebalance: 3 x 30 + 5 in 3 steps";
  Sample sample = sums.sample(1);
  EXPECT_FALSE(sample.fit);
  EXPECT_EQ(sample.load + sample.duration + sample.variance, 0);
  EXPECT_EQ(sample.kernels, (Numbers{0, 0}));
  add(sums, {71, 0});
  sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 1);
  EXPECT_EQ(sample.load, 71);
  EXPECT_EQ(sample.duration, 142);
  EXPECT_EQ(sample.kernels, (Numbers{71, 0}));
  EXPECT_EQ(sums.mean_load(), 41);  // 166 / 4, rounded down
}

TEST(EpochSums, RestartAllForgetsTheMeanToo) {
  EpochSums sums = sums_of({10, 30});
  sums.restart();
  add(sums, {20});
  sums.restart_all();
  EXPECT_EQ(sums.mean_load(), 0);
  EXPECT_EQ(sums.steps(), 0);
  add(sums, {7});
  EXPECT_EQ(sums.mean_load(), 7);
  EXPECT_EQ(sums.sample(1).load, 7);
}

// --- Waiting for a core --------------------------------------------------------------------------

// Half of 900 ns were no work, wherever they were spent.
TEST(EpochSums, LeavesOutTheSameShareOfEverything) {
  EpochSums sums;
  sums.add({.duration = 100, .load = 10, .fit = true}, Numbers{4, 6});
  sums.add({.duration = 300, .load = 20, .fit = true}, Numbers{20, 0});
  sums.add({.duration = 500, .load = 30, .fit = true}, Numbers{0, 30});
  const std::int64_t variance = sums.sample(1).variance;
  sums.leave_out(450);
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 3);
  EXPECT_EQ(sample.load, 30);
  EXPECT_EQ(sample.duration, 450);
  EXPECT_EQ(sample.kernels, (Numbers{12, 18}));
  EXPECT_EQ(sample.variance, variance / 4);
  EXPECT_TRUE(sample.fit);
  EXPECT_EQ(sums.mean_load(), 10);
}

// The step in which this rank has waited is the one that truncation leaves out.
TEST(EpochSums, DoesNotLeaveOutTwice) {
  const auto load_without = [](std::int64_t waited) {
    EpochSums sums;
    for (const std::int64_t step : {100, 100, 100, 5100, 100, 100, 100, 100})
      sums.add({.duration = step, .load = step, .fit = true}, Numbers{step});
    sums.leave_out(waited);
    EXPECT_EQ(sums.sample(1).duration, sums.sample(1).load);
    return sums.sample(1).load;
  };
  EXPECT_EQ(load_without(0), 800);
  EXPECT_EQ(load_without(4000), 800);
  EXPECT_EQ(load_without(5000), 800);
  EXPECT_EQ(load_without(5400), 400) << "400 of it must have been elsewhere";
}

TEST(EpochSums, LeavesOutOfThisEpochAlone) {
  EpochSums sums = sums_of({20, 20, 20});
  sums.restart();
  add(sums, {40});
  sums.leave_out(40);  // of 80
  EXPECT_EQ(sums.sample(1).load, 20);
  EXPECT_EQ(sums.mean_load(), 20) << "(60 + 20) / 4";
  sums.restart();
  add(sums, {40});
  EXPECT_EQ(sums.sample(1).load, 40);
}

TEST(EpochSums, LeavesOutNothingOrAllThereIs) {
  EpochSums sums = sums_of({10, 20});
  sums.leave_out(0);
  sums.leave_out(-5);
  EXPECT_EQ(sums.sample(1).load, 30);
  EXPECT_EQ(sums.mean_load(), 15);
  sums.leave_out(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sums.sample(1).load, 0);
  EXPECT_EQ(sums.sample(1).duration, 0);
  EXPECT_EQ(sums.mean_load(), 0);
  sums.leave_out(7);  // of nothing
  EXPECT_EQ(sums.sample(1).duration, 0);
  EpochSums none;
  none.leave_out(7);
  EXPECT_EQ(none.sample(1).load, 0);
}

// --- Random epochs -------------------------------------------------------------------------------

TEST(EpochSums, RandomEpochs) {
  std::mt19937_64 random(1);
  EpochSums sums;
  std::int64_t since = 0, steps_since = 0;
  for (int epoch = 0; epoch < 200; ++epoch) {
    const auto steps = static_cast<std::size_t>(2 + random() % 20);
    std::vector<Numbers> series(3);
    std::int64_t duration = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      Numbers now(3);
      for (std::size_t k = 0; k < 3; ++k) {
        now[k] = static_cast<std::int64_t>(random() % 50);  // 0 now and then
        series[k].push_back(now[k]);
        duration += 2 * now[k];
      }
      add(sums, now);
    }
    Numbers expected;
    for (const Numbers& kernel : series)
      expected.push_back(std::ranges::count(kernel, 0) > 0
                             ? std::accumulate(kernel.begin(), kernel.end(), std::int64_t{0})
                             : truncated_sum(kernel));
    const Sample sample = sums.sample(1);
    EXPECT_EQ(sample.steps, static_cast<std::int64_t>(steps));
    EXPECT_EQ(sample.kernels, expected);
    EXPECT_EQ(sample.load, std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
    EXPECT_EQ(sample.duration, duration / 2 + sample.load) << "as long outside as inside";
    since += sample.load;
    steps_since += sample.steps;
    EXPECT_EQ(sums.mean_load(), since / steps_since);
    if (epoch % 3 == 0) {
      sums.restart_all();
      since = steps_since = 0;
    } else {
      sums.restart();
    }
  }
}

}  // namespace
}  // namespace evenkeel
