#include "decide/interval.hpp"

#include "decide/rule.hpp"

#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

namespace evenkeel::interval_test {
namespace {

// The work of each rank in a look, by phases.
struct Look {
  std::int64_t steps = 8;
  std::vector<std::vector<std::int64_t>> ranks;

  Totals totals() const {
    return test::over_ranks(ranks.size(), [&](std::size_t rank) {
      Sample sample = {.steps = steps, .phases = ranks[rank]};
      for (const std::int64_t phase : ranks[rank]) sample.load += phase;
      return totals_of(sample, 0);
    });
  }

  // The peak load per step. Every phase waits for its slowest rank.
  double peak() const {
    double sum = 0;
    for (std::size_t phase = 0; phase < ranks.front().size(); ++phase) {
      std::int64_t slowest = 0;
      for (const auto& rank : ranks) slowest = std::max(slowest, rank[phase]);
      sum += static_cast<double>(slowest);
    }
    return sum / static_cast<double>(steps);
  }
  double mean() const {
    double sum = 0;
    for (const auto& rank : ranks)
      for (const std::int64_t phase : rank) sum += static_cast<double>(phase);
    return sum / static_cast<double>(ranks.size()) / static_cast<double>(steps);
  }
  double waste() const { return peak() - mean(); }
};

// A look at two ranks, with one phase and this waste per step.
Look wasting(std::int64_t waste, std::int64_t steps = 8) {
  return {steps, {{1000 * steps}, {(1000 + 2 * waste) * steps}}};
}

LookInterval after(const std::vector<Look>& looks, const Trigger& trigger = Menon{}) {
  LookInterval interval;
  for (const Look& look : looks) observe(interval, look.totals(), rule_of(trigger));
  return interval;
}

// `of_rule` holds the sum of the rule of Zhai. For the rule of Procassini, it holds the efficiency
// of the first look.
double degradation(const std::vector<Look>& looks) { return after(looks, Zhai{}).of_rule; }
double efficiency(const std::vector<Look>& looks) { return after(looks, Procassini{}).of_rule; }

Trend trend_after(const std::vector<Look>& looks) {
  const LookInterval interval = after(looks);
  return interval.trend.line(interval.looks);
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t count = numbers.size();
  return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

// The last three values, the latest first.
std::vector<double> last_of(const std::vector<double>& all) {
  std::vector<double> last(all.rbegin(),
                           all.rbegin() + std::min<std::ptrdiff_t>(3, std::ssize(all)));
  return last;
}

// Ordinary least squares, in two passes and in long double.
Trend trend_of(const std::vector<double>& steps, const std::vector<double>& waste) {
  const auto count = static_cast<long double>(steps.size());
  if (steps.size() < 3) return {};
  long double mean_step = 0, mean_waste = 0, spread = 0, together = 0, left = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    mean_step += steps[i] / count;
    mean_waste += waste[i] / count;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    spread += (steps[i] - mean_step) * (steps[i] - mean_step);
    together += (steps[i] - mean_step) * (waste[i] - mean_waste);
  }
  const long double slope = together / spread;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const long double off = waste[i] - mean_waste - slope * (steps[i] - mean_step);
    left += off * off;
  }
  return {static_cast<double>(slope), static_cast<double>(std::sqrt(left / (count - 2)))};
}

// --- By hand -------------------------------------------------------------------------------------

TEST(Observe, OneLookByHand) {
  const LookInterval interval = after({{8, {{800}, {1600}, {2400}}}});  // per step 100, 200, 300
  EXPECT_EQ(interval.looks, 1);
  EXPECT_EQ(interval.steps, 8);
  EXPECT_EQ(interval.wasted, 800);
  EXPECT_EQ(interval.slowest, 2400);
  EXPECT_EQ(interval.of_rule, 0);
  EXPECT_EQ(interval.waste[0], 100);
  EXPECT_EQ(interval.peak[0], 300);
  EXPECT_EQ(interval.trend.mean_step, 4);
  EXPECT_EQ(interval.trend.mean_waste, 100);
}

TEST(Observe, TheEfficiencyIsThatOfTheFirstLook) {
  EXPECT_DOUBLE_EQ(efficiency({wasting(0), wasting(500)}), 1);
  EXPECT_DOUBLE_EQ(efficiency({wasting(500), wasting(0)}), 1500.0 / 2000);
}

// The phases take 300 + 500. The ranks work for 300 + 100 and 100 + 500.
TEST(Observe, EveryPhaseWaitsForItsSlowestRank) {
  const LookInterval interval = after({{1, {{300, 100}, {100, 500}}}});
  EXPECT_EQ(interval.slowest, 800);
  EXPECT_EQ(interval.wasted, 300);
}

// Zhai's sum: the median of the last three slowest steps minus the mean slowest step so far.
TEST(Observe, TheDegradationByHand) {
  const auto peaking = [](std::int64_t peak) { return Look{8, {{0}, {8 * peak}}}; };
  std::vector<Look> looks = {peaking(30), peaking(30)};
  EXPECT_EQ(degradation(looks), 0);
  looks.push_back(peaking(90));
  EXPECT_EQ(degradation(looks), (30 - 50) * 8);
  looks.push_back(peaking(90));
  EXPECT_EQ(degradation(looks), (30 - 50) * 8 + (90 - 60) * 8);
}

TEST(Observe, OneRankWastesNothing) {
  const std::vector<Look> looks = {{8, {{800}}}, {4, {{1200}}}};
  const LookInterval interval = after(looks);
  EXPECT_EQ(interval.wasted, 0);
  EXPECT_EQ(interval.slowest, 2000);
  EXPECT_EQ(efficiency(looks), 1);
  EXPECT_EQ(interval.median_waste(), 0);
}

TEST(Observe, NoLoadIsEven) {
  const std::vector<Look> looks = {{8, {{0}, {0}}}};
  const LookInterval interval = after(looks);
  EXPECT_EQ(interval.looks, 1);
  EXPECT_EQ(interval.steps, 8);
  EXPECT_EQ(interval.wasted, 0);
  EXPECT_EQ(efficiency(looks), 1);
}

TEST(Observe, WithoutStepsOrRanksNothingChanges) {
  DecisionState state;
  state.interval = after({wasting(3), wasting(70), wasting(20)});
  const std::uint64_t before = hash_of(state);
  Totals no_steps = wasting(5).totals(), no_ranks = no_steps;
  no_steps.steps = 0;
  no_ranks.ranks = 0;
  for (const Totals& totals : {no_steps, no_ranks, Totals{}}) {
    observe(state.interval, totals, rule_of(Menon{}));
    EXPECT_EQ(hash_of(state), before);
  }
  observe(state.interval, wasting(5).totals(), rule_of(Menon{}));
  EXPECT_NE(hash_of(state), before);
}

// --- Trend ---------------------------------------------------------------------------------------

TEST(TrendOfInterval, ALineIsFound) {
  for (const std::int64_t growth : {0, 3, 50}) {
    std::vector<Look> looks;
    looks.reserve(20);
    for (std::int64_t i = 0; i < 20; ++i) looks.push_back(wasting(growth * 8 * i));
    const Trend trend = trend_after(looks);
    EXPECT_NEAR(trend.slope, static_cast<double>(growth), 1e-9);
    EXPECT_NEAR(trend.scatter, 0, 1e-6 * static_cast<double>(growth));
  }
}

// The middles of looks of 2, 6 and 10 steps are at 1, 5 and 13.
TEST(TrendOfInterval, ALookStandsForTheStepInItsMiddle) {
  const Trend trend = trend_after({wasting(10, 2), wasting(50, 6), wasting(130, 10)});
  EXPECT_NEAR(trend.slope, 10, 1e-12);
  EXPECT_NEAR(trend.scatter, 0, 1e-6);
}

// The values 0, 30 and 0 have the mean 10. Their squared differences sum to 600, over one degree of
// freedom.
TEST(TrendOfInterval, WhatScattersHasNoSlope) {
  const Trend trend = trend_after({wasting(0), wasting(30), wasting(0)});
  EXPECT_NEAR(trend.slope, 0, 1e-12);
  EXPECT_NEAR(trend.scatter, std::sqrt(600.0), 1e-9);
}

TEST(TrendOfInterval, ImbalanceMayShrink) {
  EXPECT_NEAR(trend_after({wasting(240), wasting(160), wasting(80)}).slope, -10, 1e-12);
}

TEST(TrendOfInterval, LessThanThreeLooksShowNone) {
  for (const auto& looks : {std::vector<Look>{}, {wasting(10)}, {wasting(10), wasting(90)}}) {
    const Trend trend = trend_after(looks);
    EXPECT_EQ(trend.slope, 0);
    EXPECT_EQ(trend.scatter, 0);
  }
}

// In 80,000 steps, each step wastes about a second, and a nanosecond more with each look. Plain
// sums of squares would lose the slope.
TEST(TrendOfInterval, LosesNoDigitsInALongRun) {
  LookInterval interval;
  constexpr std::int64_t second = 1'000'000'000;
  for (std::int64_t i = 0; i < 10'000; ++i)
    observe(interval, wasting(second + i, 8).totals(), rule_of(Menon{}));
  EXPECT_NEAR(interval.trend.line(interval.looks).slope, 1.0 / 8, 1e-9);
  EXPECT_LT(interval.trend.line(interval.looks).scatter, 1e-2);
}

// --- Random --------------------------------------------------------------------------------------

TEST(Observe, AgreesWithOneThatKeepsEverything) {
  std::mt19937_64 random(13);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  for (int run = 0; run < 40; ++run) {
    const std::int64_t ranks = 1 + below(6), phases = 1 + below(4);
    LookInterval interval, of_zhai, of_procassini;
    std::vector<double> middles, waste, peaks;
    double steps = 0, wasted = 0, slowest = 0, degradation = 0, efficiency = 0;
    for (int i = 0; i < 30; ++i) {
      Look look;
      look.steps = 1 + below(20);
      look.ranks.assign(static_cast<std::size_t>(ranks), {});
      for (auto& rank : look.ranks)
        for (std::int64_t phase = 0; phase < phases; ++phase) rank.push_back(1 + below(1'000'000));
      observe(interval, look.totals(), rule_of(Menon{}));
      observe(of_zhai, look.totals(), rule_of(Zhai{}));
      observe(of_procassini, look.totals(), rule_of(Procassini{}));

      const auto measured = static_cast<double>(look.steps);
      middles.push_back(steps + measured / 2);
      waste.push_back(look.waste());
      peaks.push_back(look.peak());
      steps += measured;
      wasted += look.waste() * measured;
      slowest += look.peak() * measured;
      degradation += (median(last_of(peaks)) - slowest / steps) * measured;
      if (i == 0) efficiency = look.mean() / look.peak();

      constexpr double rounding = 1e-10;
      ASSERT_EQ(interval.looks, i + 1);
      ASSERT_EQ(static_cast<double>(interval.steps), steps);
      ASSERT_NEAR(interval.wasted, wasted, rounding * slowest);
      ASSERT_NEAR(interval.slowest, slowest, rounding * slowest);
      ASSERT_NEAR(of_zhai.of_rule, degradation, rounding * slowest);
      ASSERT_NEAR(of_procassini.of_rule, efficiency, rounding);
      ASSERT_NEAR(interval.median_waste(), median(last_of(waste)), rounding * slowest);
      ASSERT_NEAR(interval.median_peak(), median(last_of(peaks)), rounding * slowest);
      const std::vector<double> last = last_of(waste);
      for (std::size_t k = 0; k < last.size(); ++k)
        ASSERT_NEAR(interval.waste[k], last[k], rounding * slowest) << k;
      const Trend trend = interval.trend.line(interval.looks), expected = trend_of(middles, waste);
      ASSERT_NEAR(trend.slope, expected.slope, rounding * slowest);
      ASSERT_NEAR(trend.scatter, expected.scatter, 1e-8 * slowest);
    }
  }
}

// --- The cost of a rebalance ---------------------------------------------------------------------

TEST(CostOf, IsSoManyMeanStepsUntilItIsKnown) {
  DecisionState state;
  state.expected_cost = 5;
  EXPECT_EQ(cost_of(state), 0) << "without a look";
  state.interval = after({wasting(700), wasting(500)});
  EXPECT_EQ(cost_of(state), 5 * 1500) << "of the last look";
  state.expected_cost = 0;
  EXPECT_EQ(cost_of(state), 0);
}

TEST(CostOf, IsWhatTheLedgerKnows) {
  DecisionState state;
  state.expected_cost = 5;
  state.interval = after({wasting(700)});
  state.ledger.cost.learn(1234, 10);
  EXPECT_EQ(cost_of(state), 1234);
}

}  // namespace
}  // namespace evenkeel::interval_test
