#include "monitor/over_ranks.hpp"
#include "observe/figures.hpp"
#include "support/harness.hpp"

namespace evenkeel::metrics_test {
namespace {

LoadSummary load(const std::vector<double>& seconds) { return summarise(seconds); }

TEST(Metrics, PerfectBalance) {
  EXPECT_DOUBLE_EQ(lambda(load({2, 2, 2})), 1);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({2, 2, 2})), 0);
}

TEST(Metrics, OneRankWorkingAlone) {
  EXPECT_DOUBLE_EQ(lambda(load({4, 0, 0, 0})), 4);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({4, 0, 0, 0})), 100);
}

TEST(Metrics, ByHand) {  // max 3, average 2: I = 1/3 * 3/2
  EXPECT_DOUBLE_EQ(lambda(load({1, 2, 3})), 1.5);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({1, 2, 3})), 50);
}

TEST(Metrics, OneRankOrNoLoadIsPerfect) {
  EXPECT_DOUBLE_EQ(lambda(load({7})), 1);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({7})), 0);
  EXPECT_DOUBLE_EQ(lambda(load({0, 0})), 1);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({0, 0})), 0);
}

TEST(Metrics, ScaleDoesNotMatter) {
  EXPECT_DOUBLE_EQ(lambda(load({1e-300, 3e-300})), 1.5);
  EXPECT_DOUBLE_EQ(lambda(load({1e300, 3e300 / 1})), 1.5);
}

TEST(Metrics, RefusesWhatIsNoLoad) {
  EXPECT_ERROR(load({}), "The list of loads is empty.");
  EXPECT_ERROR(load({1, -1}), "The load of rank 1");
  EXPECT_ERROR(load({std::nan("")}), "The load of rank 0");
  EXPECT_ERROR(load({1, std::numeric_limits<double>::infinity()}), "The load of rank 1");
}

// --- Figures -------------------------------------------------------------------------------------

constexpr std::int64_t second = 1'000'000'000;

RankTally tally_of(const std::vector<std::int64_t>& values) {
  RankTally tally;
  for (const std::int64_t value : values) {
    tally.sum += value;
    tally.least = std::min(tally.least, value);
    tally.greatest = std::max(tally.greatest, value);
  }
  return tally;
}

void expect_nothing(const Figures& figures) {
  EXPECT_EQ(figures.least, 0);
  EXPECT_EQ(figures.average, 0);
  EXPECT_EQ(figures.greatest, 0);
  EXPECT_EQ(figures.lambda, 1);
  EXPECT_EQ(figures.imbalance_percent, 0);
  EXPECT_EQ(figures.imbalance_seconds, 0);
  EXPECT_EQ(figures.allocation_seconds, 0);
  EXPECT_EQ(figures.efficiency, 1);
}

// Two steps of 1, 2 and 3 seconds.
TEST(FiguresOf, ByHand) {
  const Figures figures = figures_of(tally_of({2 * second, 4 * second, 6 * second}), 3, 2);
  EXPECT_DOUBLE_EQ(figures.least, 1);
  EXPECT_DOUBLE_EQ(figures.average, 2);
  EXPECT_DOUBLE_EQ(figures.greatest, 3);
  EXPECT_DOUBLE_EQ(figures.lambda, 1.5);
  EXPECT_DOUBLE_EQ(figures.imbalance_percent, 50);
  EXPECT_DOUBLE_EQ(figures.imbalance_seconds, 1);
  EXPECT_DOUBLE_EQ(figures.allocation_seconds, 3);
  EXPECT_DOUBLE_EQ(figures.efficiency, 2.0 / 3);
}

TEST(FiguresOf, OneRankWorkingAlone) {
  const Figures figures = figures_of(tally_of({0, 0, 0, 4 * second}), 4, 1);
  EXPECT_DOUBLE_EQ(figures.least, 0);
  EXPECT_DOUBLE_EQ(figures.lambda, 4);
  EXPECT_DOUBLE_EQ(figures.imbalance_percent, 100);
  EXPECT_DOUBLE_EQ(figures.allocation_seconds, 12) << "the other three wait";
  EXPECT_DOUBLE_EQ(figures.efficiency, 0.25);
}

TEST(FiguresOf, OneRankIsEven) {
  const Figures figures = figures_of(tally_of({5 * second}), 1, 5);
  EXPECT_DOUBLE_EQ(figures.least, 1);
  EXPECT_DOUBLE_EQ(figures.average, 1);
  EXPECT_DOUBLE_EQ(figures.greatest, 1);
  EXPECT_EQ(figures.lambda, 1);
  EXPECT_EQ(figures.imbalance_percent, 0);
  EXPECT_EQ(figures.imbalance_seconds, 0);
  EXPECT_EQ(figures.efficiency, 1);
}

TEST(FiguresOf, NothingIsEven) {
  expect_nothing(figures_of(tally_of({0, 0, 0}), 3, 2));
  expect_nothing(figures_of(tally_of({1, 2, 3}), 3, 0));
  expect_nothing(figures_of(RankTally{}, 0, 0));
  expect_nothing(figures_of(RankTally{}, 3, 2));
}

// All figures must describe the same load.
TEST(FiguresOf, BelongTogether) {
  std::mt19937_64 random(15);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<std::int64_t> loads(1 + random() % 20);
    std::vector<double> seconds;
    seconds.reserve(loads.size());
    const auto steps = static_cast<std::int64_t>(1 + random() % 10);
    for (std::int64_t& load : loads) {
      load = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 40U));
      seconds.push_back(static_cast<double>(load) * 1e-9 / static_cast<double>(steps));
    }
    const auto ranks = std::ssize(loads);
    const Figures figures = figures_of(tally_of(loads), ranks, steps);
    constexpr double rounding = 1e-12;
    EXPECT_LE(figures.least, figures.average * (1 + rounding));
    EXPECT_LE(figures.average, figures.greatest * (1 + rounding));
    EXPECT_NEAR(figures.greatest, *std::ranges::max_element(seconds), rounding * figures.greatest);
    EXPECT_NEAR(figures.lambda, lambda(load(seconds)), rounding * figures.lambda);
    EXPECT_NEAR(figures.imbalance_percent, imbalance_percent(load(seconds)), 100 * rounding);
    EXPECT_NEAR(figures.lambda * figures.efficiency, 1, rounding);
    EXPECT_NEAR(figures.imbalance_seconds, figures.greatest - figures.average,
                rounding * figures.greatest);
    EXPECT_NEAR(figures.allocation_seconds, figures.imbalance_seconds * static_cast<double>(ranks),
                rounding * figures.allocation_seconds);
    const Totals totals = test::over_ranks(loads.size(), [&](std::size_t rank) {
      return totals_of({.steps = steps, .load = loads[rank]}, 0);
    });
    EXPECT_NEAR(figures.lambda, totals.lambda(), rounding * figures.lambda);
    EXPECT_NEAR(figures.imbalance_percent, totals.imbalance_percent(), 100 * rounding);
    EXPECT_NEAR(figures.imbalance_seconds, totals.wasted_seconds(), rounding * figures.greatest);
  }
}

// --- Of a look -----------------------------------------------------------------------------------

Metrics metrics_of(const std::vector<Sample>& ranks, std::span<const std::string> names = {}) {
  return metrics_of(test::totals_over(ranks), {}, names);
}

TEST(MetricsOf, SayWhichLookItWas) {
  EXPECT_EQ(Metrics{}.step, -1);
  const Sample sample = {.step = 40, .steps = 8, .load = 8 * second, .duration = 16 * second};
  const Metrics metrics = metrics_of({sample, sample});
  EXPECT_EQ(metrics.step, 40);
  EXPECT_EQ(metrics.steps, 8);
  EXPECT_EQ(metrics.ranks, 2);
  EXPECT_EQ(metrics.coverage, 0.5);
  EXPECT_DOUBLE_EQ(metrics.total.average, 1);
  EXPECT_EQ(metrics.total.lambda, 1);
  EXPECT_TRUE(metrics.kernels.empty());
  EXPECT_TRUE(metrics.phases.empty());
  EXPECT_EQ(metrics.trend, 0);
  EXPECT_EQ(metrics.scatter, 0);
  EXPECT_EQ(metrics.jitter, 0);
}

TEST(MetricsOf, NothingIsNoFault) {
  const Metrics metrics = metrics_of(Totals{}, {}, {});
  EXPECT_EQ(metrics.steps, 0);
  EXPECT_EQ(metrics.ranks, 0);
  EXPECT_EQ(metrics.coverage, 0);
  EXPECT_EQ(metrics.jitter, 0);
  expect_nothing(metrics.total);
}

// In the phases, the slowest rank takes 3 and 5 seconds. The ranks work 4 and 6 seconds in total.
TEST(MetricsOf, AllWaitForTheSlowestOfEveryPhase) {
  const Metrics metrics =
      metrics_of({{.steps = 2, .load = 8 * second, .phases = {6 * second, 2 * second}},
                  {.steps = 2, .load = 12 * second, .phases = {2 * second, 10 * second}}});
  ASSERT_EQ(metrics.phases.size(), 2U);
  EXPECT_DOUBLE_EQ(metrics.phases[0].greatest, 3);
  EXPECT_DOUBLE_EQ(metrics.phases[0].average, 2);
  EXPECT_DOUBLE_EQ(metrics.phases[1].greatest, 5);
  EXPECT_DOUBLE_EQ(metrics.phases[1].imbalance_percent, 80);
  EXPECT_DOUBLE_EQ(metrics.total.least, 4);
  EXPECT_DOUBLE_EQ(metrics.total.average, 5);
  EXPECT_DOUBLE_EQ(metrics.total.greatest, metrics.phases[0].greatest + metrics.phases[1].greatest);
  EXPECT_DOUBLE_EQ(metrics.total.imbalance_seconds, 3);
  EXPECT_DOUBLE_EQ(metrics.total.lambda, 1.6);
}

TEST(MetricsOf, PhasesHaveTheirNumbersAlsoWhereOneIsEmpty) {
  const Metrics metrics =
      metrics_of({{.steps = 1, .load = 3 * second, .phases = {second, 0, 2 * second}}});
  ASSERT_EQ(metrics.phases.size(), 3U);
  expect_nothing(metrics.phases[1]);
  EXPECT_DOUBLE_EQ(metrics.phases[2].greatest, 2);
  EXPECT_DOUBLE_EQ(metrics.total.greatest, 3);
}

TEST(MetricsOf, OnePhaseIsNotShownApartWhateverItsNumber) {
  for (const std::size_t number : {0U, 2U}) {
    Sample sample = {.steps = 1, .load = second, .phases = {0, 0, 0}};
    sample.phases[number] = second;
    EXPECT_TRUE(metrics_of({sample}).phases.empty());
  }
}

TEST(MetricsOf, KernelsHaveTheirNames) {
  const std::vector<std::string> names = {"force", "halo"};
  const Metrics metrics = metrics_of({{.steps = 2, .load = 8, .kernels = {6 * second, 2 * second}},
                                      {.steps = 2, .load = 8, .kernels = {2 * second, 0}}},
                                     names);
  ASSERT_EQ(metrics.kernels.size(), 2U);
  EXPECT_EQ(metrics.kernels[0].name, "force");
  EXPECT_DOUBLE_EQ(metrics.kernels[0].figures.lambda, 1.5);
  EXPECT_DOUBLE_EQ(metrics.kernels[0].figures.greatest, 3);
  EXPECT_EQ(metrics.kernels[1].name, "halo");
  EXPECT_DOUBLE_EQ(metrics.kernels[1].figures.lambda, 2);
}

TEST(MetricsOf, AKernelThatDidNotRunIsThere) {
  const std::vector<std::string> names = {"output"};
  const Metrics metrics = metrics_of({{.steps = 2, .kernels = {0}}}, names);
  ASSERT_EQ(metrics.kernels.size(), 1U);
  expect_nothing(metrics.kernels[0].figures);
}

TEST(MetricsOf, KernelsBeyondTheThirtySecondAreOther) {
  for (const std::size_t count : {32U, 33U, 40U}) {
    Sample sample = {.steps = 1, .load = 1};
    std::vector<std::string> names;
    names.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back("kernel " + std::to_string(i));
      sample.kernels.push_back(static_cast<std::int64_t>(i + 1) * second);
    }
    const Metrics metrics = metrics_of({sample}, names);
    ASSERT_EQ(metrics.kernels.size(), std::min<std::size_t>(count, 33));
    EXPECT_EQ(metrics.kernels[31].name, "kernel 31");
    EXPECT_DOUBLE_EQ(metrics.kernels[31].figures.average, 32);
    if (count == 32) continue;
    EXPECT_EQ(metrics.kernels[32].name, "other");
    EXPECT_DOUBLE_EQ(metrics.kernels[32].figures.average, count == 33 ? 33 : 292);
  }
}

TEST(MetricsOf, WithoutCommonNamesThereAreNoKernels) {
  const std::vector<std::string> names = {"force"};
  const Metrics metrics = metrics_of({{.steps = 1, .load = 5, .kernels = {5}, .names = 1},
                                      {.steps = 1, .load = 5, .kernels = {5}, .names = 2}},
                                     names);
  EXPECT_TRUE(metrics.kernels.empty());
  EXPECT_GT(metrics.total.average, 0);
}

// The slope is 1 ms per step, over three looks.
TEST(MetricsOf, PassOnTheTrend) {
  const Metrics metrics = metrics_of(totals_of({.steps = 1, .load = 1}, 0), {1e6, 2e6}, {});
  EXPECT_DOUBLE_EQ(metrics.trend, 1e-3);
  EXPECT_DOUBLE_EQ(metrics.scatter, 2e-3);
}

// Each step of the two ranks scatters by 3 and by 4 units of 1024 ns. Over 8 steps, the sums have
// variances of 72 and 128.
TEST(MetricsOf, TheJitterIsThatOfOneStep) {
  constexpr std::int64_t mean = std::int64_t{1} << 20;
  const Totals totals = test::totals_over(
      {{.steps = 8, .load = mean, .variance = 72}, {.steps = 8, .load = mean, .variance = 128}},
      mean);
  ASSERT_EQ(totals.unit, 1024);
  EXPECT_DOUBLE_EQ(metrics_of(totals, {}, {}).jitter, std::sqrt(12.5) * 1024e-9);
}

}  // namespace
}  // namespace evenkeel::metrics_test
