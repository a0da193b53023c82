#include "epoch_sums.hpp"
#include "support/harness.hpp"

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

void add(EpochSums& sums, std::int64_t load, const Numbers& kernels = {}) {
  sums.add({.duration = 2 * load, .load = load, .fit = true}, kernels);
}

EpochSums sums_of(const Numbers& loads) {
  EpochSums sums;
  for (const std::int64_t load : loads) add(sums, load);
  return sums;
}

TEST(EpochSums, ByHand) {
  EpochSums sums;
  sums.add({.duration = 100, .load = 10, .fit = true}, Numbers{4, 6});
  sums.add({.duration = 300, .load = 20, .fit = true}, Numbers{20, 0});
  sums.add({.duration = 500, .load = 30, .fit = true}, Numbers{1, 29});
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 3);
  EXPECT_EQ(sample.load, 60);
  EXPECT_EQ(sample.duration, 900);
  EXPECT_EQ(sample.kernels, (Numbers{25, 35}));
  EXPECT_TRUE(sample.fit);
  // Of one step: ((10-20)^2 + 0 + (30-20)^2) / 2 = 100. Of the sum of three: 300.
  EXPECT_EQ(sample.variance, 300);
  EXPECT_EQ(sums.steps(), 3);
  EXPECT_EQ(sums.mean_load(), 20);
}

TEST(EpochSums, LeavesTheRestOfTheSample) {
  const Sample sample = sums_of({10}).sample(1);
  EXPECT_EQ(sample.step, 0);
  EXPECT_EQ(sample.generation, 0);
  EXPECT_EQ(sample.objects, 0);
  EXPECT_EQ(sample.cost, 0);
  EXPECT_EQ(sample.names, 0U);
}

TEST(EpochSums, TheVarianceIsInUnitsSquared) {
  const EpochSums sums = sums_of({10, 20, 30});
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
  EXPECT_EQ(sums_of({0, hour}).sample(1).variance, std::int64_t{1} << 40);
  EXPECT_EQ(sums_of({0, 0, 0, hour}).sample(1000).variance, std::int64_t{1} << 40);
  const std::int64_t below = std::int64_t{1} << 19;  // the variance is 2^38
  EXPECT_EQ(sums_of({0, below}).sample(1).variance, below * below);
}

TEST(EpochSums, OneUnfitStepSpoilsTheEpochAndNoOther) {
  EpochSums sums;
  add(sums, 1);
  sums.add({.duration = 5, .load = 3, .fit = false}, {});
  add(sums, 2);
  EXPECT_FALSE(sums.sample(1).fit);
  EXPECT_EQ(sums.sample(1).load, 6);
  sums.restart();
  add(sums, 2);
  EXPECT_TRUE(sums.sample(1).fit);
  sums.add({.duration = 5, .load = 3, .fit = false}, {});
  sums.restart_all();
  add(sums, 2);
  EXPECT_TRUE(sums.sample(1).fit);
}

TEST(EpochSums, KernelsMayBecomeMore) {
  EpochSums sums;
  add(sums, 1, {});
  add(sums, 1, {1});
  add(sums, 1, {20, 0, 3});
  add(sums, 1, {300});  // as from a clock that knew fewer
  EXPECT_EQ(sums.sample(1).kernels, (Numbers{321, 0, 3}));
}

TEST(EpochSums, RestartBeginsAnEpoch) {
  EpochSums sums = sums_of({10, 30});
  add(sums, 50, {5, 6});
  sums.restart();
  EXPECT_EQ(sums.steps(), 0);
  EXPECT_EQ(sums.mean_load(), 30) << "since the last rebalance";
  Sample sample = sums.sample(1);
  EXPECT_FALSE(sample.fit);
  EXPECT_EQ(sample.load + sample.duration + sample.variance, 0);
  EXPECT_EQ(std::accumulate(sample.kernels.begin(), sample.kernels.end(), std::int64_t{0}), 0);
  add(sums, 71, {7, 0});
  sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 1);
  EXPECT_EQ(sample.load, 71);
  EXPECT_EQ(sample.duration, 142);
  EXPECT_EQ(sample.kernels, (Numbers{7, 0}));
  EXPECT_EQ(sums.mean_load(), 40);  // 161 / 4, rounded down
}

TEST(EpochSums, RestartAllForgetsTheMeanToo) {
  EpochSums sums = sums_of({10, 30});
  sums.restart();
  add(sums, 20);
  sums.restart_all();
  EXPECT_EQ(sums.mean_load(), 0);
  EXPECT_EQ(sums.steps(), 0);
  add(sums, 7);
  EXPECT_EQ(sums.mean_load(), 7);
  EXPECT_EQ(sums.sample(1).load, 7);
}

// Half of 900 ns were no work, wherever they were spent.
TEST(EpochSums, LeavesOutTheSameShareOfEverything) {
  EpochSums sums;
  sums.add({.duration = 100, .load = 10, .fit = true}, Numbers{4, 6});
  sums.add({.duration = 300, .load = 20, .fit = true}, Numbers{20, 0});
  sums.add({.duration = 500, .load = 30, .fit = true}, Numbers{0, 30});
  sums.leave_out(450);
  const Sample sample = sums.sample(1);
  EXPECT_EQ(sample.steps, 3);
  EXPECT_EQ(sample.load, 30);
  EXPECT_EQ(sample.duration, 450);
  EXPECT_EQ(sample.kernels, (Numbers{12, 18}));
  EXPECT_EQ(sample.variance, 75);
  EXPECT_TRUE(sample.fit);
  EXPECT_EQ(sums.mean_load(), 10);
}

TEST(EpochSums, LeavesOutOfThisEpochAlone) {
  EpochSums sums = sums_of({10, 20, 30});
  sums.restart();
  add(sums, 40);
  sums.leave_out(40);  // of 80
  EXPECT_EQ(sums.sample(1).load, 20);
  EXPECT_EQ(sums.mean_load(), 20) << "(60 + 20) / 4";
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

TEST(EpochSums, RandomEpochs) {
  std::mt19937_64 random(1);
  EpochSums sums;
  Numbers since;
  for (int epoch = 0; epoch < 200; ++epoch) {
    const auto steps = static_cast<std::size_t>(2 + random() % 20);
    Numbers loads(steps), kernels(3);
    for (std::int64_t& load : loads) {
      Numbers now(3);
      for (std::size_t k = 0; k < 3; ++k) {
        now[k] = static_cast<std::int64_t>(random() % 1000);
        kernels[k] += now[k];
        load += now[k];
      }
      add(sums, load, now);
    }
    since.insert(since.end(), loads.begin(), loads.end());
    const std::int64_t load = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
    const auto count = static_cast<long double>(steps);
    long double squares = 0;
    for (const std::int64_t each : loads)
      squares +=
          std::pow(static_cast<long double>(each) - static_cast<long double>(load) / count, 2.0L);
    const Sample sample = sums.sample(1);
    EXPECT_EQ(sample.steps, static_cast<std::int64_t>(steps));
    EXPECT_EQ(sample.load, load);
    EXPECT_EQ(sample.duration, 2 * load);
    EXPECT_EQ(sample.kernels, kernels);
    EXPECT_NEAR(static_cast<double>(sample.variance),
                static_cast<double>(squares * count / (count - 1)), 1);
    EXPECT_EQ(sums.mean_load(),
              std::accumulate(since.begin(), since.end(), std::int64_t{0}) / std::ssize(since));
    if (epoch % 3 == 0) {
      sums.restart_all();
      since.clear();
    } else {
      sums.restart();
    }
  }
}

}  // namespace
}  // namespace evenkeel
