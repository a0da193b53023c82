#include "observe/epoch_sums.hpp"
#include "observe/truncated_mean.hpp"
#include "support/harness.hpp"

#include <initializer_list>

namespace evenkeel::epoch_sums_test {
namespace {

using Numbers = std::vector<std::int64_t>;

using Options = std::vector<KernelOptions>;

void add(EpochSums& sums, const Numbers& kernels, const Options& options = {}) {
  const std::int64_t load = std::accumulate(kernels.begin(), kernels.end(), std::int64_t{0});
  sums.add({.duration = 2 * load, .load = load, .fit = true}, kernels, options);
}

// One kernel, with these nanoseconds in each step.
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
  // The values 4, 4, 6, 6 give 4 / 3. This is multiplied by 4, and by 4 again since only half of
  // the values are used. 6, 28, 4 give 3 x 532 / 3 ...
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

// The least coverage is about the share of kernels, not about how calm steps are.
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

// --- Work that is declared to recur --------------------------------------------------------------

// The loads that a kernel counts in successive epochs of `epoch` steps.
Numbers looks_of(const Numbers& steps, int epoch, const KernelOptions& options = {}) {
  EpochSums sums;
  Numbers looks;
  for (const std::int64_t nanoseconds : steps) {
    add(sums, {nanoseconds}, {options});
    if (sums.steps() < epoch) continue;
    looks.push_back(sums.sample(1).load);
    sums.restart();
  }
  return looks;
}

// The kernel runs in step `first`, and then in every `every`-th step.
Numbers runs_of(int steps, int first, int every, std::int64_t nanoseconds) {
  Numbers runs(static_cast<std::size_t>(steps));
  for (int step = first; step < steps; step += every)
    runs[static_cast<std::size_t>(step)] = nanoseconds;
  return runs;
}

TEST(EpochSums, ListsAreSpreadOverTheirPeriod) {
  EXPECT_EQ(looks_of(runs_of(48, 0, 20, 200), 6, {.every = 20}), Numbers(8, 60));
  EXPECT_EQ(looks_of(runs_of(30, 4, 20, 200), 6, {.every = 20}), (Numbers{20, 60, 60, 60, 60}))
      << "from the first run on";
  EXPECT_EQ(looks_of(runs_of(40, 0, 20, 200), 8, {.every = 20}), Numbers(5, 80));
}

TEST(EpochSums, WorkInEveryStepAndMoreInSome) {
  Numbers steps(36, 10);
  for (std::size_t step = 0; step < steps.size(); step += 12) steps[step] = 250;  // 240 more
  EXPECT_EQ(looks_of(steps, 6, {.every = 12}), Numbers(6, 180)) << "6 x (10 + 240 / 12)";
  // The mean counts for the steps before the first one.
  EXPECT_EQ(looks_of({10, 10, 10, 10, 10, 10}, 6, {.every = 20}), (Numbers{60}));
  EXPECT_EQ(looks_of({1, 1, 1, 1, 1, 1, 1, 900}, 8, {.every = 1}), (Numbers{8}));
}

TEST(EpochSums, APeriodBeyondTheRun) {
  constexpr int every = std::numeric_limits<int>::max();
  EXPECT_EQ(looks_of(Numbers(600, 10), 6, {.every = every}), Numbers(100, 60));
  EXPECT_EQ(looks_of(runs_of(12, 0, 20, 1'000'000), 6, {.every = 1'000'000}), (Numbers{6, 6}));
}

TEST(EpochSums, LongPeriods) {
  for (const int every : {256, 257, 1000, 5000}) {
    const Numbers steps = runs_of(6 * every, 0, every, 1000 * every);
    EXPECT_EQ(looks_of(steps, 6, {.every = every}), Numbers(steps.size() / 6, 6000));
  }
}

// Adjacent runs leave a long window at the same time.
TEST(EpochSums, LongPeriodsWithWorkInManySteps) {
  for (const int every : {256, 257, 1000, 5000}) {
    Numbers steps(static_cast<std::size_t>(6 * every));
    for (std::size_t step = 0; step < steps.size(); ++step)
      if (step % static_cast<std::size_t>(every) < 100) steps[step] = 10 * every;
    const Numbers looks = looks_of(steps, 6, {.every = every});
    for (std::size_t look = 20; look < looks.size(); ++look)
      EXPECT_NEAR(static_cast<double>(looks[look]), 6000, 0.12 * 6000) << every;
    const double sum = std::accumulate(looks.begin() + 20, looks.end(), 0.0);
    EXPECT_NEAR(sum / static_cast<double>(looks.size() - 20), 6000, 0.002 * 6000) << every;
  }
}

TEST(EpochSums, DeclaredWorkThatStopsIsGoneAfterItsPeriod) {
  EXPECT_EQ(looks_of(runs_of(30, 0, 100, 120), 6, {.every = 12}), (Numbers{60, 60, 0, 0, 0}));
}

// --- Work that is found to recur -----------------------------------------------------------------

TEST(EpochSums, WorkThatIsFoundToRecur) {
  // The first run is spread over all steps so far. After a second run the period is known.
  EXPECT_EQ(looks_of(runs_of(42, 2, 9, 90), 6), (Numbers{90, 60, 60, 60, 60, 60, 60}));
  EXPECT_EQ(looks_of(runs_of(24, 7, 50, 240), 6), (Numbers{0, 120, 80, 60})) << "never again";
  EXPECT_EQ(looks_of({0, 60, 0, 60, 0, 60, 0, 60, 0, 60, 0, 60}, 6), (Numbers{180, 180}));
  EXPECT_EQ(looks_of({60, 0, 60, 0, 60, 0, 60, 0, 60, 0, 60, 0}, 6)[1], 180);
}

TEST(EpochSums, WorkThatStopsFades) {
  Numbers steps = runs_of(30, 0, 3, 300);
  steps.resize(600);
  const Numbers looks = looks_of(steps, 6);
  EXPECT_EQ(looks[4], 600);
  EXPECT_LT(looks[5], 600);
  for (std::size_t look = 6; look < looks.size(); ++look) EXPECT_LE(looks[look], looks[look - 1]);
  EXPECT_LE(looks.back(), 4);
}

// Truncation applies only to kernels that have run in every step since the rebalance.
TEST(EpochSums, AKernelThatHasRestedOnceRecurs) {
  EpochSums sums;
  for (const std::int64_t work : {10, 10, 0, 10, 10, 10}) add(sums, {work});
  EXPECT_EQ(sums.sample(1).load, 50);
  sums.restart();
  for (const std::int64_t work : {10, 10, 10, 10, 70, 10}) add(sums, {work});
  EXPECT_EQ(sums.sample(1).load, 120) << "in an earlier epoch";
  sums.restart_all();
  for (const std::int64_t work : {10, 10, 10, 10, 70, 10}) add(sums, {work});
  EXPECT_EQ(sums.sample(1).load, 60);
}

TEST(EpochSums, WhatIsSpreadIsInTheMeanAndThePhasesToo) {
  EpochSums sums;
  const Options options = {{.phase = 1}, {.phase = 2, .every = 20}};
  for (int step = 0; step < 60; ++step) {
    add(sums, {100, step % 20 == 0 ? 400 : 0}, options);
    if (sums.steps() < 6) continue;
    const Sample sample = sums.sample(1);
    EXPECT_EQ(sample.phases, (Numbers{0, 600, 120}));
    EXPECT_EQ(sample.load, 720);
    EXPECT_EQ(sample.variance, 0);
    EXPECT_EQ(sums.mean_load(), 120);
    const bool has_lists = (step - 5) / 20 != step / 20 || step == 5 || (step - 5) % 20 == 0;
    EXPECT_EQ(sample.duration, 1320 + (has_lists ? 400 : 0)) << "as long outside as ever";
    sums.restart();
  }
}

// --- After a rebalance ---------------------------------------------------------------------------

TEST(EpochSums, TheStepAfterARebalanceHasTheFirstRun) {
  EpochSums sums;
  const Options options = {{}, {}, {.every = 20}};
  for (int step = 0; step < 18; ++step)
    add(sums, {5, step % 4 == 0 ? 40 : 0, step % 20 == 0 ? 500 : 0}, options);
  sums.restart_all();
  sums.hint(Numbers{50, 80, 1000}, options);
  EXPECT_EQ(sums.steps(), 0);
  EXPECT_EQ(sums.mean_load(), 0);
  for (int step = 1; step <= 6; ++step) add(sums, {6, step % 4 == 0 ? 80 : 0, 0}, options);
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{36, 120, 300}));
  EXPECT_EQ(sums.mean_load(), 76);
  sums.restart();
  for (int step = 7; step <= 12; ++step) add(sums, {6, step % 4 == 0 ? 80 : 0, 0}, options);
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{36, 120, 300}));
}

TEST(EpochSums, WithoutAHintTheRatesAreForgotten) {
  EpochSums sums;
  for (int step = 0; step < 18; ++step)
    add(sums, {step % 3 == 0 ? 30 : 0, step % 5 == 0 ? 50 : 0}, {{}, {.every = 5}});
  sums.restart_all();
  for (int step = 0; step < 6; ++step) add(sums, {0, 0});
  EXPECT_EQ(sums.sample(1).load, 0);
}

TEST(EpochSums, ThePeriodOutlivesSeveralRebalances) {
  EpochSums sums;
  for (int step = 0; step < 30; ++step) add(sums, {step % 10 == 0 ? 100 : 0});
  for (int rebalance = 0; rebalance < 5; ++rebalance) {
    sums.restart_all();
    sums.hint(Numbers{200});
    for (int step = 1; step <= rebalance; ++step) add(sums, {0});
    EXPECT_EQ(sums.sample(1).load, 20 * rebalance);
  }
  sums.restart_all();
  for (int step = 0; step < 30; ++step) add(sums, {7});  // it has become regular
  sums.restart_all();
  sums.hint(Numbers{200});
  add(sums, {0});
  EXPECT_EQ(sums.sample(1).load, 0) << "and is not known to recur";
}

TEST(EpochSums, HintsOfTheWarmUp) {
  EpochSums sums;
  const Options options = {{}, {.every = 8}};
  sums.hint(Numbers{}, options);
  sums.hint(Numbers{90, 80}, options);  // only now is the second kernel known
  sums.hint(Numbers{90, 0}, options);
  sums.hint(Numbers{90}, options);
  for (int step = 0; step < 5; ++step) add(sums, {7, 0}, options);
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{35, 50})) << "of another 8 - 3 steps";
  add(sums, {7, 80}, options);
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{42, 60}));
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
  EXPECT_EQ(sample.kernels[0], 100 * steps);
  EXPECT_EQ(sample.kernels[2], 30 * steps) << "it may well run in the next one";
  EXPECT_NEAR(static_cast<double>(sample.kernels[1]) / static_cast<double>(recurring), 1, 1e-3);
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

// With this bound, 2^20 ranks can add up their variances.
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
  add(sums, {300});  // as from a clock with fewer kernels
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{321, 0, 3}));
  sums.restart();
  for (int step = 0; step < 200; ++step) add(sums, {1, 2, 3, 4});
  add(sums, {1, 2, 3, 4, 5});
  // New kernels count 0 in the 4 steps before, or in 2 steps since their last run.
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{201, 400, 602, 801, 5}));
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
  EXPECT_EQ(sample.load, 72);
  EXPECT_EQ(sample.duration, 143);
  EXPECT_EQ(sample.kernels, (Numbers{71, 1})) << "5 in 4 steps";
  EXPECT_EQ(sums.mean_load(), 41);  // 167 / 4, rounded down
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

// Half of 900 ns were no work. It is unknown in which steps.
TEST(EpochSums, LeavesOutTheSameShareOfEverything) {
  EpochSums sums;
  sums.add({.duration = 100, .load = 10, .fit = true}, Numbers{4, 6});
  sums.add({.duration = 300, .load = 20, .fit = true}, Numbers{20, 0});
  sums.add({.duration = 500, .load = 30, .fit = true}, Numbers{0, 30});
  const std::int64_t variance = sums.sample(1).variance;
  sums.leave_out(450);
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 3);
  EXPECT_EQ(sample.load, 40);
  EXPECT_EQ(sample.duration, 460);
  EXPECT_EQ(sample.kernels, (Numbers{22, 18})) << "4, 20, 20 and 6, 15, 15";
  EXPECT_EQ(sample.variance, variance / 4);
  EXPECT_TRUE(sample.fit);
  EXPECT_EQ(sums.mean_load(), 13);
}

// Wherever a run is spread, it must lose the share of the epoch in which it ran.
TEST(EpochSums, LeavesOutOfTheEpochInWhichARunWas) {
  for (const bool is_told : {true, false}) {
    const Options options = {{.every = is_told ? 4 : 0}};
    EpochSums sums;
    for (int step = 0; step < 8; ++step) add(sums, {step % 4 == 3 ? 400 : 0}, options);
    EXPECT_EQ(sums.sample(1).load, is_told ? 500 : 800);
    sums.leave_out(800);  // of 1600
    EXPECT_EQ(sums.sample(1).load, is_told ? 250 : 400);
    sums.restart();
    for (int step = 0; step < 3; ++step) sums.add({.duration = 9, .fit = true}, Numbers{0});
    EXPECT_EQ(sums.sample(1).load, 150);
    sums.leave_out(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(sums.sample(1).load, 150) << "nothing ran";
  }
}

// Truncation has already left out the step in which this rank waited.
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

// --- Long runs -----------------------------------------------------------------------------------

struct Looks {
  double sum = 0, scatter = 0;  // scatter: standard deviation / mean, once settled
};

Looks looks_at(const Numbers& looks) {
  double sum = 0, squares = 0, settled = 0, count = 0;
  for (std::size_t look = 0; look < looks.size(); ++look) {
    const auto load = static_cast<double>(looks[look]);
    sum += load;
    if (look < 20) continue;
    settled += load;
    squares += load * load;
    ++count;
  }
  const double mean = settled / count;
  return {sum, std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean};
}

// Gaps between runs are from `least` to `most`. A run takes 100,000 ns, give or take 5 %.
Numbers random_runs(int least, int most) {
  std::mt19937_64 random(static_cast<std::uint64_t>(100 * least + most));
  std::uniform_int_distribution<int> gap(least, most), work(95'000, 105'000);
  Numbers steps(48'000);
  for (std::size_t step = 0; step < steps.size(); step += static_cast<std::size_t>(gap(random)))
    steps[step] = work(random);
  return steps;
}

TEST(EpochSums, NothingIsLostOrCountedTwiceInTheLongRun) {
  struct Case {
    int least, most, every;
    double scatter;  // at most
  };
  const std::vector<Case> cases({{3, 3, 0, 0.04},
                                 {7, 7, 0, 0.04},
                                 {20, 20, 0, 0.04},
                                 {3, 3, 3, 0.04},
                                 {7, 7, 7, 0.04},
                                 {20, 20, 20, 0.04},
                                 {15, 25, 0, 0.15},
                                 {15, 25, 20, 0.5},
                                 {1, 3, 0, 0.3},
                                 {1, 20, 0, 0.7},
                                 {1, 100, 0, 0.9}});
  for (const Case& now : cases)
    for (const int epoch : {6, 8, 10}) {
      SCOPED_TRACE(std::to_string(now.least) + " to " + std::to_string(now.most) + ", declared " +
                   std::to_string(now.every) + ", epoch " + std::to_string(epoch));
      const Numbers steps = random_runs(now.least, now.most);
      const auto true_sum =
          static_cast<double>(std::accumulate(steps.begin(), steps.end(), std::int64_t{0}));
      const Looks looks = looks_at(looks_of(steps, epoch, {.every = now.every}));
      EXPECT_NEAR(looks.sum / true_sum, 1, 0.02);
      EXPECT_LT(looks.scatter, now.scatter);
    }
}

// There are many runs, a long pause, and again many runs. The counts of the pause must be taken
// back.
TEST(EpochSums, PausesAreNotCountedForGood) {
  Numbers steps(60'000);
  for (std::size_t step = 0; step < steps.size(); ++step)
    if (step % 110 < 10) steps[step] = 1000;
  const Numbers looks = looks_of(steps, 6);
  const auto sum = std::accumulate(steps.begin(), steps.end(), 0.0);
  EXPECT_NEAR(std::accumulate(looks.begin(), looks.end(), 0.0) / sum, 1, 0.02);
}

// --- Random epochs -------------------------------------------------------------------------------

// All steps since the rebalance, with the load that each step counted.
class FoundByHistory {
 public:
  void add(double work) {
    counted_.push_back(0);
    paid_.push_back(0);
    const std::size_t now = counted_.size();
    if (work > 0) {
      const auto since = static_cast<double>(now - ran_at_);
      const double gap = works_.empty() ? std::max(since, period_) : since;
      const double rate = work / gap;
      for (std::size_t step = ran_at_; step < now; ++step) {
        if (step < epoch_at_ && works_.size() > 1) owed_ += rate - counted_[step];
        if (step >= epoch_at_) counted_[step] = rate;
      }
      works_.push_back(work);
      gaps_.push_back(gap);
      ran_at_ = now;
    }
    if (works_.empty()) return;
    if (work <= 0) counted_.back() = rate(static_cast<double>(now - ran_at_));
    if (owed_ == 0) return;
    const double most = rate(static_cast<double>(now - ran_at_)) / 2;
    const double part = owed_ / std::max(16.0, 4 * gap_);
    paid_.back() = std::clamp(part, -most, most);
    owed_ -= paid_.back();
  }

  double total() const {
    const auto steps = static_cast<double>(counted_.size());
    const auto in_epoch = static_cast<double>(counted_.size() - epoch_at_);
    if (works_.size() == 1 && period_ == 0) return works_[0] * in_epoch / steps;
    const auto begin = static_cast<std::ptrdiff_t>(epoch_at_);
    return std::accumulate(counted_.begin() + begin, counted_.end(), 0.0) +
           std::accumulate(paid_.begin() + begin, paid_.end(), 0.0);
  }
  void restart() { epoch_at_ = counted_.size(); }

  // The period stays known after a rebalance.
  void restart_all() {
    double period = period_;
    const auto steps = static_cast<double>(counted_.size());
    const bool is_regular = works_.size() == counted_.size();
    if (is_regular && steps > period_) period = 0;
    if (!is_regular && works_.size() == 1)
      period = period_ > 0 ? std::max(gaps_[0], steps - static_cast<double>(ran_at_)) : steps;
    if (!is_regular && works_.size() > 1) {
      static_cast<void>(rate(0));
      period = gap_;
    }
    *this = {};
    period_ = period;
  }

 private:
  double rate(double since) {
    const std::size_t first = works_.size() < 2 ? 0 : std::max<std::size_t>(works_.size(), 5) - 4;
    const auto begin = static_cast<std::ptrdiff_t>(first);
    const auto count = static_cast<double>(works_.size() - first);
    gap_ = std::accumulate(gaps_.begin() + begin, gaps_.end(), 0.0) / count;
    const double work = std::accumulate(works_.begin() + begin, works_.end(), 0.0) / count;
    return work / std::max(gap_, since);
  }

  std::vector<double> counted_, paid_, works_, gaps_;
  std::size_t ran_at_ = 0, epoch_at_ = 0;
  double owed_ = 0, gap_ = 0, period_ = 0;
};

// The formula for declared periods, applied to all steps since the rebalance.
double declared_total(const Numbers& all, std::size_t steps, std::size_t every) {
  const auto epoch = std::span(all).last(steps);
  const auto ran = steps - static_cast<std::size_t>(std::ranges::count(epoch, 0));
  const double mean =
      2 * ran <= steps ? 0 : static_cast<double>(truncated_sum(epoch)) / static_cast<double>(steps);
  double total = 0;
  for (std::size_t step = all.size() - steps; step < all.size(); ++step) {
    total += mean;
    for (std::size_t past = step + 1 - std::min(every, step + 1); past <= step; ++past)
      total += (static_cast<double>(all[past]) - mean) / static_cast<double>(every);
  }
  return total;
}

TEST(EpochSums, RandomEpochs) {
  std::mt19937_64 random(1);
  constexpr std::size_t kernels = 5;
  const Options options = {{}, {}, {}, {.every = 4}, {.every = 30}};
  EpochSums sums;
  std::vector<Numbers> all(kernels);
  std::vector<FoundByHistory> found(kernels);
  std::int64_t since = 0, steps_since = 0;
  for (int epoch = 0; epoch < 400; ++epoch) {
    const auto steps = static_cast<std::size_t>(2 + random() % 20);
    std::int64_t duration = 0, load = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      Numbers now(kernels);
      for (std::size_t k = 0; k < kernels; ++k) {
        const bool rests = random() % 10 < 3 * k;  // the first one never rests
        now[k] = rests ? 0 : static_cast<std::int64_t>(1 + random() % 50'000);
        all[k].push_back(now[k]);
        found[k].add(static_cast<double>(now[k]));
        load += now[k];
      }
      add(sums, now, options);
    }
    duration = 2 * load;
    const Sample sample = sums.sample(1);
    EXPECT_EQ(sample.steps, static_cast<std::int64_t>(steps));
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto every = static_cast<std::size_t>(options[k].every);
      const bool is_regular = std::ranges::count(all[k], 0) == 0;
      const double expected =
          every > 1    ? declared_total(all[k], steps, every)
          : is_regular ? static_cast<double>(truncated_sum(std::span(all[k]).last(steps)))
                       : found[k].total();
      EXPECT_NEAR(static_cast<double>(sample.kernels[k]), expected, 0.51) << k << ' ' << epoch;
      found[k].restart();
    }
    EXPECT_EQ(sample.load,
              std::accumulate(sample.kernels.begin(), sample.kernels.end(), std::int64_t{0}));
    EXPECT_EQ(sample.duration, duration / 2 + sample.load) << "as long outside as inside";
    since += sample.load;
    steps_since += sample.steps;
    EXPECT_EQ(sums.mean_load(), since / steps_since);
    if (epoch % 30 == 29 || epoch % 50 == 48) {
      sums.restart_all();
      all.assign(kernels, {});
      for (FoundByHistory& kernel : found) kernel.restart_all();
      since = steps_since = 0;
    } else {
      sums.restart();
    }
  }
}

}  // namespace
}  // namespace evenkeel::epoch_sums_test
