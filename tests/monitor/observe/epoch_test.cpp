#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/monitor/metrics.hpp>

namespace evenkeel::epoch_test {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t million = 1'000'000;

// Both are sent as bytes, so they must have no padding, whose bytes would differ between ranks.
static_assert(Sendable<Totals> && std::has_unique_object_representations_v<Totals>);
static_assert(Sendable<LoadPicture> && std::has_unique_object_representations_v<LoadPicture>);

using test::bytes_of;
using test::totals_over;

Sample sample_of(std::int64_t load) {
  const std::int64_t duration = 2 * std::min(load, most / 2);
  return {.step = 8, .steps = 8, .load = load, .duration = duration, .kernels = {load}};
}

Totals totals_of_loads(const std::vector<std::int64_t>& loads, std::int64_t last_mean = 0) {
  std::vector<Sample> samples;
  for (const std::int64_t load : loads) samples.push_back(sample_of(load));
  return totals_over(samples, last_mean);
}

using Numbers = std::vector<std::int64_t>;

// The steps and generations that ranks have reported.
Numbers reported_in(const Totals& totals) {
  return {totals.step_least, totals.step_greatest, totals.generation_least,
          totals.generation_greatest};
}
// The cost of a rebalance, and the figures that belong to it.
Numbers paid_in(const Totals& totals) {
  return {totals.cost,       totals.rebuild,    totals.noted,       totals.extra,  totals.bytes,
          totals.rebalances, totals.first_cost, totals.first_bytes, totals.survey, totals.command};
}

void expect_tally(const RankTally& tally, std::int64_t sum, std::int64_t least,
                  std::int64_t greatest) {
  EXPECT_EQ(tally.sum, sum);
  EXPECT_EQ(tally.least, least);
  EXPECT_EQ(tally.greatest, greatest);
}

// --- Memory --------------------------------------------------------------------------------------

TEST(MemoryOfRanks, IsThatOfTheFullestAndTheSoonest) {
  const auto of_rank = [](std::int64_t rank, std::int64_t bytes, std::int64_t steps_left) {
    MemoryTotals mine;
    mine.fullest = mine.soonest = {rank, bytes, 100, steps_left};
    mine.asked = rank == 2 ? RankMemory::never : steps_left;
    return mine;
  };
  std::vector<MemoryTotals> all = {
      {}, of_rank(1, 50, 9), of_rank(2, 80, 5), of_rank(3, 80, 7), of_rank(4, 10, 5)};
  std::ranges::sort(all, {}, [](const MemoryTotals& of) { return of.fullest.rank; });
  do {
    MemoryTotals sum;
    for (const MemoryTotals& each : all) combine(sum, each);
    EXPECT_EQ(sum.fullest.rank, 2);
    EXPECT_EQ(sum.fullest.bytes, 80);
    EXPECT_EQ(sum.soonest.rank, 2);
    EXPECT_EQ(sum.soonest.steps_left, 5);
    EXPECT_EQ(sum.asked, 5);
  } while (std::ranges::next_permutation(all, {}, [](const MemoryTotals& of) {
             return of.fullest.rank;
           }).found);
}

// --- One rank ------------------------------------------------------------------------------------

TEST(TotalsOf, ASample) {
  const Totals totals = totals_of({.step = 24,
                                   .steps = 6,
                                   .generation = 3,
                                   .objects = 100,
                                   .load = 5000,
                                   .duration = 8000,
                                   .variance = 7,
                                   .cost = 900,
                                   .rebuild = 800,
                                   .noted = 750,
                                   .extra = 700,
                                   .bytes = 600,
                                   .rebalances = 4,
                                   .first_cost = 300,
                                   .first_bytes = 200,
                                   .command = 2,
                                   .survey = 500,
                                   .kernels = {3000, 2000},
                                   .names = 42,
                                   .phases = {},
                                   .all_steps = 8,
                                   .all_load = 6500,
                                   .slots = {1, 2},
                                   .other_slots = {3, 4},
                                   .would_be = {.first = 7, .fresh = 0}},
                                  4096);
  EXPECT_EQ(reported_in(totals), (Numbers{24, 24, 3, 3}));
  EXPECT_EQ(totals.names_least, 42U);
  EXPECT_EQ(totals.names_greatest, 42U);
  EXPECT_EQ(totals.ranks, 1);
  EXPECT_EQ(totals.unfit, 0);
  EXPECT_EQ(totals.steps, 6);
  expect_tally(totals.load, 5000, 5000, 5000);
  expect_tally(totals.duration, 8000, 8000, 8000);
  expect_tally(totals.objects, 100, 100, 100);
  EXPECT_EQ(paid_in(totals), (Numbers{900, 800, 750, 700, 600, 4, 300, 200, 500, 2}));
  EXPECT_EQ(totals.all_steps, 8);
  EXPECT_EQ(totals.all_load, 6500);
  EXPECT_EQ(totals.slots, (StepSlots{1, 2}));
  EXPECT_EQ(totals.other_slots, (StepSlots{3, 4}));
  EXPECT_EQ(totals.would_be.first, 7);
  EXPECT_EQ(totals.would_be.fresh, 0);
  EXPECT_EQ(totals.would_be.previous, Counterfactual::unknown);
  EXPECT_EQ(totals.unit, 4);
  EXPECT_EQ(totals.spread, 226 * 226);  // (5000 - 4096) / 4
  EXPECT_EQ(totals.variance, 7);
  expect_tally(totals.kernels[0], 3000, 3000, 3000);
  expect_tally(totals.kernels[1], 2000, 2000, 2000);
}

TEST(TotalsOf, AKernelThatDidNotRunCountsZero) {
  const Totals totals = totals_of(sample_of(5), 0);
  for (std::size_t i = 1; i < totals.kernels.size(); ++i) expect_tally(totals.kernels[i], 0, 0, 0);
}

TEST(TotalsOf, KernelsBeyondTheNamedOnesAreSummed) {
  Sample sample = sample_of(1);
  sample.kernels.resize(Totals::named_kernels + 3);
  std::iota(sample.kernels.begin(), sample.kernels.end(), 1);
  const Totals totals = totals_of(sample, 0);
  for (std::int64_t i = 0; i < Totals::named_kernels; ++i)
    expect_tally(totals.kernels[static_cast<std::size_t>(i)], i + 1, i + 1, i + 1);
  expect_tally(totals.kernels[Totals::other], 33 + 34 + 35, 102, 102);
  Sample huge = sample_of(1);
  huge.kernels.assign(Totals::named_kernels + 3, most);
  expect_tally(totals_of(huge, 0).kernels[Totals::other], most, most, most);
}

TEST(TotalsOf, TheSpreadIsCountedAboutTheLastMean) {
  const auto spread = [](std::int64_t load, std::int64_t mean) {
    return totals_of(sample_of(load), mean).spread;
  };
  EXPECT_EQ(spread(10, 0), 0);  // without a last mean
  EXPECT_EQ(spread(10, 10), 0);
  EXPECT_EQ(spread(13, 10), 9);
  EXPECT_EQ(spread(7, 10), 9);
  EXPECT_EQ(spread(0, 1024 * 5), 1024 * 1024);
  EXPECT_EQ(spread(most, 1), std::int64_t{1} << 40);
  EXPECT_EQ(spread(0, most), 1024 * 1024);
  EXPECT_EQ(totals_of(sample_of(1), 0).unit, 1024);
  EXPECT_EQ(totals_of(sample_of(1), 1023).unit, 1);
  EXPECT_EQ(totals_of(sample_of(1), 2048).unit, 2);
  EXPECT_EQ(totals_of(sample_of(1), most).unit, most / 1024);
}

TEST(TotalsOf, WhatIsNoSampleIsUnfitAndCountsNothing) {
  Sample unfit = sample_of(5);
  unfit.fit = false;
  EXPECT_EQ(totals_of(unfit, 0).unfit, 1);
  EXPECT_EQ(totals_of(unfit, 0).load.sum, 5);

  for (std::int64_t Sample::*member :
       {&Sample::steps, &Sample::objects, &Sample::load, &Sample::duration, &Sample::variance,
        &Sample::cost, &Sample::rebuild, &Sample::noted, &Sample::bytes, &Sample::command,
        &Sample::survey, &Sample::all_steps, &Sample::all_load}) {
    Sample negative = sample_of(5);
    negative.*member = std::numeric_limits<std::int64_t>::lowest();
    const Totals totals = totals_of(negative, -7);
    EXPECT_EQ(totals.unfit, 1);
    for (const std::int64_t value :
         {totals.steps, totals.objects.sum, totals.load.sum, totals.duration.sum, totals.variance,
          totals.cost, totals.rebuild, totals.noted, totals.bytes, totals.command, totals.survey,
          totals.all_steps, totals.all_load})
      EXPECT_GE(value, 0);
    EXPECT_EQ(totals.unit, 1024);
    EXPECT_EQ(totals.spread, 0);
  }
  for (StepSlots Sample::*slots : {&Sample::slots, &Sample::other_slots}) {
    Sample negative = sample_of(5);
    (negative.*slots)[step_slots - 1] = -1;
    const Totals totals = totals_of(negative, 0);
    EXPECT_EQ(totals.unfit, 1);
    EXPECT_EQ(totals.slots[step_slots - 1], 0);
    EXPECT_EQ(totals.other_slots[step_slots - 1], 0);
  }
  for (const std::size_t slot : {0U, 31U, 40U}) {
    Sample negative = sample_of(5);
    negative.kernels.resize(41);
    negative.kernels[slot] = -1;
    const Totals totals = totals_of(negative, 0);
    EXPECT_EQ(totals.unfit, 1);
    EXPECT_GE(totals.kernels[std::min<std::size_t>(slot, Totals::other)].least, 0);
  }
}

// --- Over ranks ----------------------------------------------------------------------------------

TEST(Combine, ByHand) {
  Sample light = sample_of(10), heavy = sample_of(40);
  light.objects = 7;
  heavy.objects = 3;
  heavy.steps = 7;
  light.cost = 11;
  light.generation = 2;
  heavy.step = 9;
  light.names = std::uint64_t{1} << 63;  // the greater one if unsigned
  heavy.names = 5;
  heavy.fit = false;
  heavy.kernels = {15, 25};
  const Totals totals = totals_over({light, heavy}, 20);
  EXPECT_EQ(totals.ranks, 2);
  EXPECT_EQ(totals.unfit, 1);
  EXPECT_EQ(reported_in(totals), (Numbers{8, 9, 0, 2}));
  EXPECT_EQ(totals.names_least, 5U);
  EXPECT_EQ(totals.names_greatest, std::uint64_t{1} << 63);
  EXPECT_FALSE(totals.names_agree());
  EXPECT_EQ(totals.steps, 7);
  expect_tally(totals.load, 50, 10, 40);
  expect_tally(totals.duration, 100, 20, 80);
  expect_tally(totals.objects, 10, 3, 7);
  EXPECT_EQ(totals.cost, 11);
  EXPECT_EQ(totals.unit, 1);
  EXPECT_EQ(totals.spread, 10 * 10 + 20 * 20);
  expect_tally(totals.kernels[0], 25, 10, 15);
  expect_tally(totals.kernels[1], 25, 0, 25);
  expect_tally(totals.kernels[Totals::other], 0, 0, 0);
}

// Additional time of the step after a rebalance is of two kinds. Outside of kernels, the excess
// over the least value of all ranks is waiting. In kernels, it has noise, and the sum over ranks
// counts.
TEST(Combine, WhatARebalanceCosts) {
  const auto paid = [](std::int64_t each) {
    Sample sample = sample_of(1);
    sample.cost = sample.rebuild = sample.noted = sample.extra = sample.bytes = sample.survey =
        each;
    sample.rebalances = sample.first_cost = sample.first_bytes = each;
    sample.command = each / 10;
    return sample;
  };
  EXPECT_EQ(paid_in(totals_over({paid(20), paid(10), paid(30)})),
            (Numbers{30, 10, 30, 60, 30, 30, 30, 30, 30, 3}));
  EXPECT_EQ(totals_over({paid(-20), paid(10)}).extra, -10);
}

// Ranks know the same about other domains. A rank that knows nothing must not count.
TEST(Combine, WhatWouldBeIsTheGreatest) {
  Sample knows = sample_of(1), more = sample_of(1);
  knows.would_be = {.first = 1, .previous = 2, .first_again = 3, .previous_again = 4};
  knows.would_be.earlier = {10, 20};
  knows.would_be.age = {8, 16};
  more.would_be = {
      .first = 2, .fresh = 5, .as_weighed = 7, .advised = 6, .guessed = 12, .moved = 11};
  more.would_be.earlier[1] = 30;
  more.would_be.of_mean = 9;
  const Counterfactual all = totals_over({sample_of(1), knows, more, sample_of(1)}).would_be;
  const Counterfactual expected = {2, 2, 3, 4, 5, 7, 6, 12, 11, 9, {10, 30}, {8, 16}};
  EXPECT_EQ(bytes_of(all), bytes_of(expected));
  const Counterfactual none = totals_over({sample_of(1), sample_of(2)}).would_be;
  EXPECT_EQ(bytes_of(none), bytes_of(Counterfactual{})) << "all unknown";
}

// Loads that were predicted for an epoch get the mean load that the epoch then had.
TEST(Combine, PredictionsAreScaledToTheMeasuredLoad) {
  Totals totals;
  totals.ranks = 2;
  totals.load.sum = 60;
  totals.would_be = {.first = 50, .fresh = 20, .of_mean = 20};
  totals.would_be.earlier = {40};
  totals.other_slots = {6, 8};
  Totals measured = totals;
  totals.scale_predictions();
  EXPECT_EQ(totals.would_be.first, 75);
  EXPECT_EQ(totals.would_be.fresh, 30);
  EXPECT_EQ(totals.would_be.previous, Counterfactual::unknown);
  EXPECT_EQ(totals.would_be.earlier[0], 60);
  EXPECT_EQ(totals.would_be.of_mean, 0);
  EXPECT_EQ(totals.other_slots[1], 12);
  measured.would_be.of_mean = 0;
  const Totals before = measured;
  measured.scale_predictions();
  EXPECT_EQ(bytes_of(measured), bytes_of(before));
}

// Draws figures that are mostly plausible; some are at the limits of 64 bits.
Sample random_sample(std::mt19937_64& random) {
  const auto number = [&](std::int64_t limit) {
    switch (random() % 16) {
      case 0: return std::int64_t{0};
      case 1: return most - static_cast<std::int64_t>(random() % 3);
      case 2: return -static_cast<std::int64_t>(random() % 5);
      default: return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    }
  };
  Sample sample{.step = number(3),
                .steps = number(9),
                .generation = number(3),
                .objects = number(million),
                .load = number(1000 * million),
                .duration = number(1000 * million),
                .variance = number(million),
                .cost = number(1000 * million),
                .fit = random() % 8 != 0,
                .kernels = {},
                .names = random(),
                .phases = {}};
  for (std::int64_t Sample::*member :
       {&Sample::rebuild, &Sample::noted, &Sample::extra, &Sample::bytes, &Sample::command,
        &Sample::survey, &Sample::all_steps, &Sample::all_load})
    sample.*member = number(million);
  for (std::size_t i = 0; i < step_slots; ++i) {
    sample.slots[i] = number(million);
    sample.other_slots[i] = number(million);
  }
  Counterfactual& would_be = sample.would_be;
  for (std::int64_t Counterfactual::*member :
       {&Counterfactual::first, &Counterfactual::previous, &Counterfactual::first_again,
        &Counterfactual::previous_again, &Counterfactual::fresh, &Counterfactual::as_weighed,
        &Counterfactual::advised})
    would_be.*member = number(million);
  for (std::size_t i = 0; i < Counterfactual::earlier_cuts; ++i) {
    would_be.earlier[i] = number(million);
    would_be.age[i] = number(million);
  }
  sample.phases.resize(random() % 10);
  for (std::int64_t& phase : sample.phases) phase = number(million);
  sample.kernels.resize(random() % 40);
  for (std::int64_t& kernel : sample.kernels) kernel = number(million);
  return sample;
}

LoadPicture random_picture(std::mt19937_64& random) {
  LoadPicture picture;
  for (std::int64_t& value : picture.values)
    value = random() % 8 == 0 ? most : static_cast<std::int64_t>(random() >> 34U);
  return picture;
}

template <class T>
T combined(T into, const T& from) {
  combine(into, from);
  return into;
}

template <class T>
void expect_order_does_not_matter(const T& a, const T& b, const T& c) {
  EXPECT_EQ(bytes_of(combined(a, b)), bytes_of(combined(b, a)));
  EXPECT_EQ(bytes_of(combined(combined(a, b), c)), bytes_of(combined(a, combined(b, c))));
}

TEST(Combine, IsAssociativeAndCommutativeToTheBit) {
  std::mt19937_64 random(1);
  const auto totals = [&] { return totals_of(random_sample(random), 500 * million); };
  for (int i = 0; i < 1000; ++i) {
    expect_order_does_not_matter(totals(), totals(), totals());
    expect_order_does_not_matter(random_picture(random), random_picture(random),
                                 random_picture(random));
  }
}

// MPI may combine ranks in a tree. This must give the same as one rank after another.
TEST(Combine, ManyRanksInAnyOrder) {
  std::mt19937_64 random(2);
  std::vector<Totals> ranks(257);
  std::ranges::generate(ranks, [&] { return totals_of(random_sample(random), 1000); });
  const auto in_turn = std::accumulate(ranks.begin() + 1, ranks.end(), ranks[0], combined<Totals>);
  for (int round = 0; round < 20; ++round) {
    std::vector<Totals> left = ranks;
    while (left.size() > 1) {
      std::swap(left[random() % left.size()], left.back());
      const Totals last = left.back();
      left.pop_back();
      combine(left[random() % left.size()], last);
    }
    ASSERT_EQ(bytes_of(left[0]), bytes_of(in_turn));
  }
}

// The totals are doubled up to 2^20 ranks. All ranks have the largest deviation that the spread can
// hold.
TEST(Combine, AMillionRanksDoNotOverflow) {
  Sample sample = sample_of(std::int64_t{1} << 42);  // more than an hour per epoch
  sample.objects = std::int64_t{1} << 40;
  Totals totals = totals_of(sample, 1);
  for (int i = 0; i < 20; ++i) combine(totals, Totals(totals));
  EXPECT_EQ(totals.ranks, std::int64_t{1} << 20);
  EXPECT_EQ(totals.load.sum, std::int64_t{1} << 62);
  EXPECT_EQ(totals.objects.sum, std::int64_t{1} << 60);
  EXPECT_EQ(totals.spread, std::int64_t{1} << 60);
  EXPECT_EQ(totals.lambda(), 1);
  EXPECT_EQ(totals.duration.sum, most);  // 2^63 does not fit, so it stays at the maximum
  combine(totals, Totals(totals));
  EXPECT_EQ(totals.load.sum, most);
  EXPECT_EQ(totals.duration.sum, most);
}

TEST(Combine, MeasuredByEveryRank) {
  const Communicator communicator = test::world();
  constexpr void (*combine_totals)(Totals&, const Totals&) noexcept = &combine;
  const int ranks = communicator.size();
  const Totals all = all_reduce<combine_totals>(
      communicator, totals_of(sample_of(10 * (communicator.rank() + 1)), 10));
  std::vector<std::int64_t> loads;
  for (int rank = 0; rank < ranks; ++rank) loads.push_back(10 * (rank + 1));
  EXPECT_EQ(bytes_of(all), bytes_of(totals_of_loads(loads, 10)));
}

// --- Figures -------------------------------------------------------------------------------------

TEST(Totals, FiguresByHand) {  // max 3 s, average 2 s, over 8 steps
  const Totals totals = totals_of_loads({1000 * million, 2000 * million, 3000 * million});
  EXPECT_DOUBLE_EQ(totals.mean_load(), 2e9);
  EXPECT_DOUBLE_EQ(totals.lambda(), 1.5);
  EXPECT_DOUBLE_EQ(totals.imbalance_percent(), 50);
  EXPECT_DOUBLE_EQ(totals.coverage(), 0.5);
  EXPECT_DOUBLE_EQ(totals.wasted_seconds(), 0.125);
}

TEST(Totals, FiguresAreThoseOfTheMetrics) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int64_t> loads(1 + random() % 9);
    for (std::int64_t& load : loads) load = static_cast<std::int64_t>(random() % 1000);
    const Totals totals = totals_of_loads(loads);
    const LoadSummary summary = summarise(std::vector<double>(loads.begin(), loads.end()));
    EXPECT_DOUBLE_EQ(totals.lambda(), lambda(summary));
    EXPECT_DOUBLE_EQ(totals.imbalance_percent(), imbalance_percent(summary));
    EXPECT_NEAR(totals.wasted_seconds(), (summary.greatest - summary.average()) * 1e-9 / 8, 1e-20);
  }
}

// --- All steps -----------------------------------------------------------------------------------

Totals totals_of_steps(const std::vector<test::StepLoads>& ranks) {
  return test::over_ranks(ranks.size(), [&](std::size_t rank) {
    return totals_of(test::sample_of_steps(ranks[rank]), 0);
  });
}

// Over all steps, ranks are evenly loaded. But in every step, each but one waits for another.
TEST(AllStepsOfTotals, RanksWaitInEachOfThem) {
  const Totals totals = totals_of_steps({{30, 10, 20}, {10, 30, 20}});
  EXPECT_EQ(totals.all_steps, 3);
  EXPECT_EQ(totals.all_load, 120);
  EXPECT_EQ(totals.slots, (StepSlots{30, 30, 20}));
  EXPECT_EQ(totals.slowest_of_all(), 80);
  EXPECT_EQ(totals.mean_of_all(), 60);
}

TEST(AllStepsOfTotals, TheLeastNumberOnAnyRankCounts) {
  EXPECT_EQ(totals_of_steps({{1, 2, 3}, {4}, {5, 6}}).all_steps, 1);
}

// There are 32 steps, in slots of two. Within a slot, ranks wait at most once in two steps.
TEST(AllStepsOfTotals, InSlotsOfSeveralStepsRanksWaitAtTheirEnds) {
  test::StepLoads one, other;
  for (int i = 0; i < 16; ++i) {
    one.insert(one.end(), {30, 10});
    other.insert(other.end(), {10, 20});
  }
  const Totals totals = totals_of_steps({one, other});
  EXPECT_EQ(totals.slowest_of_all(), 16 * 40);
  EXPECT_EQ(totals.mean_of_all(), 16 * 35);
}

TEST(AllStepsOfTotals, OfNothing) {
  EXPECT_EQ(Totals{}.slowest_of_all(), 0);
  EXPECT_EQ(Totals{}.mean_of_all(), 0);
  EXPECT_EQ(Totals{}.level_of_others(), 0);
  EXPECT_EQ(totals_of_steps({{}, {}}).mean_of_all(), 0);
  EXPECT_EQ(totals_of_steps({{0, 0}}).level_of_others(), 0);
}

TEST(AllStepsOfTotals, SumsStayAtTheGreatest) {
  Sample sample = sample_of(1);
  sample.all_load = most;
  sample.slots.fill(most);
  const Totals totals = totals_over({sample, sample});
  EXPECT_EQ(totals.all_load, most);
  EXPECT_NEAR(totals.slowest_of_all(), 16 * static_cast<double>(most), 1e6);
}

// In each of 4 steps, ranks work 10 and 30. Under other domains they would have worked 25 and 15.
TEST(AllStepsOfTotals, TheLevelOfOtherDomains) {
  const auto with_others = [](std::int64_t measured_steps, std::int64_t all_steps) {
    return test::over_ranks(2, [&](std::size_t rank) {
      Sample sample = {.steps = measured_steps, .load = measured_steps * (rank == 0 ? 10 : 30)};
      sample.all_steps = all_steps;
      sample.all_load = 1000;  // much more than the measured steps
      std::fill_n(sample.other_slots.begin(), all_steps, rank == 0 ? 25 : 15);
      return totals_of(sample, 0);
    });
  };
  EXPECT_DOUBLE_EQ(with_others(4, 4).level_of_others(), 0.25);
  EXPECT_DOUBLE_EQ(with_others(3, 8).level_of_others(), 0.25) << "of the measured mean";
  EXPECT_EQ(with_others(0, 4).level_of_others(), 0);
  Totals below = with_others(4, 4);
  below.other_slots.fill(1);
  EXPECT_EQ(below.level_of_others(), 0) << "nothing is below the average";
}

// --- Phases --------------------------------------------------------------------------------------

Sample sample_in_phases(const std::vector<std::int64_t>& phases) {
  Sample sample = sample_of(std::accumulate(phases.begin(), phases.end(), std::int64_t{0}));
  sample.phases = phases;
  return sample;
}

// Two ranks have the same load, but at different times. So each waits once for the other.
TEST(Phases, RanksWaitInEachOfThem) {
  const Totals totals = totals_over({sample_in_phases({3000 * million, 1000 * million}),
                                     sample_in_phases({1000 * million, 3000 * million})});
  expect_tally(totals.phases[0], 4000 * million, 1000 * million, 3000 * million);
  expect_tally(totals.phases[1], 4000 * million, 1000 * million, 3000 * million);
  expect_tally(totals.phases[2], 0, 0, 0);
  EXPECT_EQ(totals.load.greatest, 4000 * million);
  EXPECT_EQ(totals.critical_load(), 6000 * million);
  EXPECT_DOUBLE_EQ(totals.lambda(), 1.5);
  EXPECT_DOUBLE_EQ(totals.imbalance_percent(), 100.0 * 2 / 6 * 2);
  EXPECT_DOUBLE_EQ(totals.wasted_seconds(), 2.0 / 8);
}

TEST(Phases, OneAloneIsTheLoad) {
  for (const std::size_t used : {0U, 3U, 7U}) {
    std::vector<std::int64_t> light(8), heavy(8);
    light[used] = 10;
    heavy[used] = 30;
    const Totals totals = totals_over({sample_in_phases(light), sample_in_phases(heavy)});
    EXPECT_EQ(totals.critical_load(), 30);
    EXPECT_DOUBLE_EQ(totals.lambda(), 1.5);
  }
  EXPECT_EQ(totals_of_loads({10, 30}).critical_load(), 30) << "no sample has phases";
  EXPECT_EQ(Totals{}.critical_load(), Totals{}.load.greatest);
}

TEST(Phases, ARankMayKnowFewer) {
  const Totals totals = totals_over({sample_in_phases({5}), sample_in_phases({2, 0, 9})});
  expect_tally(totals.phases[0], 7, 2, 5);
  expect_tally(totals.phases[2], 9, 0, 9);
  EXPECT_EQ(totals.critical_load(), 14);
}

TEST(Phases, WhatCannotBeIsUnfit) {
  const Totals totals = totals_of(sample_in_phases({20, -5}), 0);
  EXPECT_EQ(totals.unfit, 1);
  EXPECT_EQ(totals.phases[1].sum, 0);
  Sample more = sample_of(5);
  more.phases.assign(12, 1);
  EXPECT_EQ(totals_of(more, 0).phases[7].sum, 1) << "phases beyond the last are dropped";
}

TEST(Phases, TheCriticalLoadIsNoLessThanTheGreatestAndSaturates) {
  Sample odd = sample_of(1000);
  odd.phases = {1, 1};
  EXPECT_EQ(totals_of(odd, 0).critical_load(), 1000);
  odd.phases = {most, most};
  EXPECT_EQ(totals_of(odd, 0).critical_load(), most);
}

void expect_even(const Totals& totals, double coverage) {
  EXPECT_EQ(totals.lambda(), 1);
  EXPECT_EQ(totals.imbalance_percent(), 0);
  EXPECT_EQ(totals.wasted_seconds(), 0);
  EXPECT_EQ(totals.coverage(), coverage);
}

TEST(Totals, DegenerateFigures) {
  expect_even(Totals{}, 0);
  EXPECT_EQ(Totals{}.mean_load(), 0);
  expect_even(totals_of_loads({5}), 0.5);
  expect_even(totals_of_loads({0, 0}), 0);
  expect_even(totals_of_loads({7, 7, 7}), 0.5);
  Sample covered = sample_of(100);
  covered.duration = 90;  // a clock that is not quite monotonic
  expect_even(totals_of(covered, 0), 1);
  Sample unmeasured = sample_of(5);
  unmeasured.steps = 0;
  EXPECT_EQ(totals_over({unmeasured, sample_of(50)}).wasted_seconds(), 0);
}

// --- The picture ---------------------------------------------------------------------------------

// The picture over all ranks. Rank r has the load r + 1.
LoadPicture picture_over(int ranks, std::int64_t last_mean) {
  LoadPicture all = picture_of(1, 0, ranks, last_mean);
  for (int rank = 1; rank < ranks; ++rank)
    combine(all, picture_of(rank + 1, rank, ranks, last_mean));
  return all;
}

TEST(Picture, ShowsEachOfUpTo256Ranks) {
  for (int ranks = 1; ranks <= LoadPicture::slots; ++ranks) {
    const LoadPicture all = picture_over(ranks, 100);
    for (int slot = 0; slot < LoadPicture::slots; ++slot)
      ASSERT_EQ(all.values[static_cast<std::size_t>(slot)], slot < ranks ? slot + 1 : 0);
  }
  EXPECT_EQ(picture_of(-5, 2, 3, 0).values[2], 0);
  EXPECT_EQ(picture_of(most, 255, 256, 0).values[255], most);
}

TEST(Picture, CountsRanksAbove) {
  // The mean is 64, so each load has its own bin, except for those from 255 upwards.
  const LoadPicture all = picture_over(300, 64);
  EXPECT_EQ(all.values[0], 0);
  for (std::size_t bin = 1; bin < 255; ++bin) ASSERT_EQ(all.values[bin], 1);
  EXPECT_EQ(all.values[255], 46);  // loads from 255 to 300
  EXPECT_EQ(std::accumulate(all.values.begin(), all.values.end(), std::int64_t{0}), 300);
}

int bin_of(std::int64_t load, std::int64_t mean) {
  const LoadPicture picture = picture_of(load, 0, 257, mean);
  EXPECT_EQ(std::accumulate(picture.values.begin(), picture.values.end(), std::int64_t{0}), 1);
  return static_cast<int>(std::ranges::find(picture.values, 1) - picture.values.begin());
}

TEST(Picture, TheEdgesOfBins) {
  EXPECT_EQ(bin_of(0, 6400), 0);
  EXPECT_EQ(bin_of(99, 6400), 0);
  EXPECT_EQ(bin_of(100, 6400), 1);
  EXPECT_EQ(bin_of(6399, 6400), 63);
  EXPECT_EQ(bin_of(6400, 6400), 64);
  EXPECT_EQ(bin_of(25499, 6400), 254);
  EXPECT_EQ(bin_of(25500, 6400), 255);
  EXPECT_EQ(bin_of(million, 6400), 255);
}

TEST(Picture, DegenerateLoadsAndMeans) {
  EXPECT_EQ(bin_of(-5, 64), 0);
  EXPECT_EQ(bin_of(0, 0), 0);
  EXPECT_EQ(bin_of(1, 0), 255);
  EXPECT_EQ(bin_of(1, -1), 255);
  EXPECT_EQ(bin_of(most, 1), 255);
  EXPECT_EQ(bin_of(most, most), 64);
  EXPECT_EQ(bin_of(1, most), 0);
}

}  // namespace
}  // namespace evenkeel::epoch_test
