#include "decide/shadow.hpp"

#include "decide/decision.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

namespace evenkeel::shadow_test {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

// The unit is a mean step of 10 ms.
constexpr double expected_cost = 2;
constexpr double cost = 20 * millisecond;

// A millisecond in each step of a look, in total.
constexpr double per_look = 8.0 * millisecond;

DecisionState first(const Trigger& trigger, std::int64_t cooldown_steps = 0) {
  return {.trigger = trigger, .cooldown_steps = cooldown_steps, .expected_cost = expected_cost};
}

// A look of 8 steps on two ranks. One rank works `waste` milliseconds longer than the average of
// 10.
Totals look(std::int64_t waste, std::int64_t at, std::int64_t command = 0) {
  return test::over_ranks(2, [&](std::size_t rank) {
    const std::int64_t load = rank == 0 ? 10 - waste : 10 + waste;
    Sample sample = test::sample_of_steps(test::StepLoads(8, load * millisecond));
    sample.step = at;
    sample.command = command;
    return totals_of(sample, 0);
  });
}

constexpr double rounding = 1e4;  // nanoseconds: slots hold whole numbers

// The shadow after looks with these wastes, in milliseconds per step.
Shadow after(const DecisionState& state, const std::vector<std::int64_t>& wastes) {
  Shadow shadow(state);
  std::int64_t at = 0;
  for (const std::int64_t waste : wastes) shadow.look(look(waste, at += 8));
  return shadow;
}

// Expects this number of rebalances, and the time that they save before their costs.
void expect_saved(const Shadow& shadow, int rebalances, double saved) {
  EXPECT_EQ(shadow.rebalances(), rebalances);
  EXPECT_NEAR(shadow.gain(), saved - rebalances * cost, rounding);
}

// The time that the look with the decision covers is already lost.
TEST(Shadow, AConstantImbalanceIsCuredOnce) {
  expect_saved(after(first(Threshold{.lambda = 1.1}), {4, 4, 4, 4, 4}), 1, 4 * 4 * per_look);
}

TEST(Shadow, AnEvenLoadIsLeftAlone) {
  for (const std::size_t looks : {0U, 4U}) {
    const Shadow shadow =
        after(first(Threshold{.lambda = 1.1}), std::vector<std::int64_t>(looks, 0));
    EXPECT_EQ(shadow.rebalances(), 0);
    EXPECT_EQ(shadow.gain(), 0);
  }
}

TEST(Shadow, WhatStaysBelowTheThresholdIsLeftAlone) {
  EXPECT_EQ(after(first(Threshold{.lambda = 1.5}), {4, 4, 4, 4}).rebalances(), 0);
  EXPECT_EQ(after(first(Threshold{.lambda = 1.4}), {4, 4, 4, 4}).rebalances(), 1);
}

// An imbalance disappears by itself, so a rebalance was not worth it. The gain is the time that it
// saved until then, minus its cost.
TEST(Shadow, AGainMayBeALoss) {
  expect_saved(after(first(Threshold{.lambda = 1.1}), {4, 1, 0, 0}), 1, per_look);
}

// With lambda 1.3, the shadow acts at 3 ms, and again after 3 ms more.
TEST(Shadow, ALoadThatDriftsIsCuredAgain) {
  expect_saved(after(first(Threshold{.lambda = 1.3}), {1, 2, 3, 4, 5, 6, 7, 8}), 2,
               (3 + 3 + 3 + 6 + 6) * per_look);
}

// The shadow rebalances after steps 8 and 32.
TEST(Shadow, CoolsDownAsTheRunWould) {
  expect_saved(after(first(Threshold{.lambda = 1.3}, 24), {3, 6, 6, 6, 9}), 2,
               (3 + 3 + 3 + 6) * per_look);
}

// The losses are 8 and 24 ms, and a rebalance costs 20 ms. After the rebalance nothing more is
// lost.
TEST(Shadow, MenonPaysWhenItHasLostTheCost) {
  expect_saved(after(first(Menon{}), {1, 3, 3, 3}), 1, 2 * 3 * per_look);
}

TEST(Shadow, ACostThatIsKnownCounts) {
  DecisionState state = first(Threshold{.lambda = 1.1});
  state.ledger.cost.learn(5 * millisecond, 0);
  EXPECT_NEAR(after(state, {4, 4}).gain(), 4 * per_look - 5 * millisecond, rounding);
}

TEST(Shadow, LearnsNoCostOfWhatWasNotMade) {
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  Totals odd = look(4, 8);
  odd.cost = 5 * millisecond;
  shadow.look(odd);
  shadow.look(look(4, 16));
  EXPECT_NEAR(shadow.gain(), 4 * per_look - cost, rounding);
}

// In both phases, ranks wait 2 ms for the slowest one. A rebalance removes both waits.
TEST(Shadow, CountsWhatIsLostInEveryPhase) {
  const auto look_of_phases = [](std::int64_t at) {
    return test::over_ranks(2, [&](std::size_t rank) {
      Sample sample = test::sample_of_steps(test::StepLoads(8, 10 * millisecond));
      sample.step = at;
      sample.phases = {8 * 3 * millisecond, 8 * 7 * millisecond};
      if (rank == 1) std::swap(sample.phases[0], sample.phases[1]);
      return totals_of(sample, 0);
    });
  };
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  for (std::int64_t at = 8; at <= 24; at += 8) shadow.look(look_of_phases(at));
  expect_saved(shadow, 1, 2 * 4 * per_look);
}

TEST(Shadow, HearsWhatIsSaidFromOutside) {
  Shadow shadow(first(Never{}));
  shadow.look(look(4, 8, static_cast<std::int64_t>(Command::rebalance)));
  shadow.look(look(4, 16));
  expect_saved(shadow, 1, 4 * per_look);
}

TEST(Shadow, AFirstLookWithoutStepsIsNoLook) {
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  Totals unfit = look(4, 8);
  unfit.unfit = 1;
  unfit.steps = 0;
  shadow.look(unfit);
  shadow.look(Totals{});
  EXPECT_EQ(shadow.rebalances(), 0);
  EXPECT_EQ(shadow.gain(), 0);
}

// An unfit sample must not count as a saving.
TEST(Shadow, ALookThatIsNotTrustedSavesNothing) {
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  shadow.look(look(4, 8));
  Totals unfit = look(4, 16);
  unfit.unfit = 1;
  shadow.look(unfit);
  EXPECT_NEAR(shadow.gain(), -cost, rounding);
}

// Makes the same decisions by hand. A Threshold sees only the waste beyond the waste that the last
// rebalance removed.
TEST(Shadow, AgreesWithAThresholdAppliedByHand) {
  std::mt19937_64 random(16);
  int total = 0;
  for (int run = 0; run < 50; ++run) {
    std::vector<std::int64_t> wastes(40);
    for (std::int64_t& waste : wastes) waste = static_cast<std::int64_t>(random() % 10);
    std::int64_t taken = 0, saved = 0, rebalances = 0;
    for (const std::int64_t waste : wastes) {
      saved += 8 * std::min(taken, waste);
      if (waste - std::min(taken, waste) < 3) continue;
      taken = waste;
      ++rebalances;
    }
    const Shadow shadow = after(first(Threshold{.lambda = 1.3}), wastes);
    EXPECT_EQ(shadow.rebalances(), rebalances);
    EXPECT_NEAR(shadow.gain(),
                static_cast<double>(saved * millisecond) - static_cast<double>(rebalances) * cost,
                1e-3);
    total += static_cast<int>(rebalances);
  }
  EXPECT_GT(total, 50);
}

// --- Beside a run that is balanced ---------------------------------------------------------------

// The level: the share by which the first of four ranks works more than the average of 10 ms in a
// step. The cut was made after step `cut`; 0 means the first domains.
using Level = std::function<double(std::int64_t step, std::int64_t cut)>;

test::StepLoads loads_of(const Level& level, std::int64_t step, std::int64_t cut) {
  const auto mean = static_cast<double>(10 * millisecond);
  const double more = level(step, cut);
  test::StepLoads loads(4, std::llround(mean * (1 - more / 3)));
  loads.front() = std::llround(mean * (1 + more));
  return loads;
}

struct Setting {
  std::int64_t steps = 4000;
  std::int64_t survey_period = 1;  // in looks; never if it is 0
  double recurring = 1;            // the factor of every 16th step; measurement spreads it
};

struct Seen {
  double gain, truth;  // of the shadow, and of the run beside it
  std::int64_t rebalances;
};

// Two runs: one is never balanced, and the shadow watches it; the other follows each advice as soon
// as a look can be settled.
class Beside {
 public:
  Beside(const DecisionState& state, const Level& level, const Setting& setting)
      : level_(level), setting_(setting), shadow_(state) {}

  Seen run() {
    const std::int64_t latency = 2 * protocol_latency_steps + 1;
    for (std::int64_t step = 1; step <= setting_.steps; ++step) {
      if (step == looked_at_ + latency + 1 && advised_) cut_ = *advised_;
      take(step);
      if (step % 8 != 0) continue;
      if (!shadow_.look(totals(step))) continue;
      advised_ = looked_at_ = step;
      truth_ -= cost;
    }
    return {shadow_.gain(), truth_, shadow_.rebalances()};
  }

 private:
  void take(std::int64_t step) {
    const double factor = step % 16 == 0 ? setting_.recurring : 1;
    const auto loads = [&](std::int64_t cut) { return loads_of(level_, step, cut); };
    truth_ += factor * static_cast<double>(loads(0).front() - loads(cut_).front());
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const std::int64_t load = loads(0)[rank];
      all_[rank].push_back(std::llround(factor * static_cast<double>(load)));
      measured_[rank].push_back(spread(load));
      if (advised_) others_[rank].push_back(spread(loads(*advised_)[rank]));
    }
  }
  std::int64_t spread(std::int64_t load) const {
    return std::llround((15 + setting_.recurring) / 16 * static_cast<double>(load));
  }

  Totals totals(std::int64_t step) {
    const bool surveys = setting_.survey_period > 0 && step / 8 % setting_.survey_period == 0;
    const Totals totals = test::over_ranks(4, [&](std::size_t rank) {
      Sample sample = test::sample_of_steps(measured_[rank]);
      test::tell_all_steps(sample, all_[rank]);
      sample.step = step;
      if (!surveys) return totals_of(sample, 0);
      sample.would_be.fresh = spread(loads_of(level_, step, step)[rank]) * 8;
      if (advised_) {
        const AllSteps others = test::all_of(others_[rank]);
        sample.would_be.advised = others.sum();
        sample.other_slots = others.sums();
      }
      return totals_of(sample, 0);
    });
    for (auto* loads : {&all_, &measured_, &others_}) *loads = Loads(4);
    return totals;
  }

  using Loads = std::vector<test::StepLoads>;
  Level level_;
  Setting setting_;
  Shadow shadow_;
  Loads all_{4}, measured_{4}, others_{4};
  std::int64_t cut_ = 0, looked_at_ = -100;
  std::optional<std::int64_t> advised_;
  double truth_ = 0;
};

Seen watch(const Level& level, const Setting& setting = {}, const Trigger& trigger = CostAware{}) {
  return Beside(first(trigger), level, setting).run();
}

// In each step, the load gets worse by 0.1 % of the mean, up to twice the mean.
double drifting(std::int64_t step, std::int64_t cut) {
  return std::min(1.0, 0.001 * static_cast<double>(step - cut));
}

// Every cut leaves an imbalance of `floor`.
Level with_floor(double floor) {
  return [=](std::int64_t step, std::int64_t cut) { return floor + drifting(step, cut); };
}

void expect_near(const Seen& seen, double share) {
  EXPECT_GT(seen.truth, 0);
  EXPECT_NEAR(seen.gain, seen.truth, share * seen.truth);
}

TEST(ShadowBeside, ItsGainIsWhatWouldHaveBeenSaved) {
  for (const Trigger& trigger :
       {Trigger(CostAware{}), Trigger(Menon{}), Trigger(Boulmier{}), Trigger(Threshold{1.2})})
    for (const double floor : {0.0, 0.1}) {
      const Seen seen = watch(with_floor(floor), {}, trigger);
      EXPECT_GT(seen.rebalances, 5);
      expect_near(seen, 0.03);
    }
}

TEST(ShadowBeside, WorkThatRecursIsNoGain) {
  const Seen seen = watch(with_floor(0.1), {.recurring = 5});
  EXPECT_GT(seen.rebalances, 5);
  expect_near(seen, 0.03);
}

TEST(ShadowBeside, SurveysMayBeRare) {
  for (const std::int64_t period : {2, 3, 5}) {
    const Seen seen = watch(with_floor(0.1), {.survey_period = period});
    EXPECT_GT(seen.rebalances, 5);
    expect_near(seen, 0.05);
  }
}

// Without a survey, the shadow assumes that each rebalance cures the whole imbalance.
TEST(ShadowBeside, WithoutASurveyItIsTheMostThatCouldBe) {
  for (const double floor : {0.0, 0.1, 0.3}) {
    const Seen seen = watch(with_floor(floor), {.survey_period = 0});
    EXPECT_GT(seen.rebalances, 0);
    EXPECT_GE(seen.gain, seen.truth * 0.999) << floor;
  }
}

TEST(ShadowBeside, WhatNoCutCuresIsNotAdvised) {
  const Level incurable = [](std::int64_t, std::int64_t) { return 0.5; };
  const Seen seen = watch(incurable);
  EXPECT_EQ(seen.rebalances, 0);
  EXPECT_EQ(seen.gain, 0);
  const Seen blind = watch(incurable, {.survey_period = 0});
  EXPECT_GT(blind.rebalances, 0) << "without surveys, that is not known";
  EXPECT_LT(blind.truth, 0);
}

// All cuts are equally uneven.
TEST(ShadowBeside, AThresholdThatNoCutReachesCostsWhatItCosts) {
  const Level incurable = [](std::int64_t, std::int64_t) { return 0.5; };
  const Seen seen = watch(incurable, {.steps = 400}, Threshold{1.2});
  EXPECT_GT(seen.rebalances, 10);
  EXPECT_NEAR(seen.gain, seen.truth, 0.01 * std::abs(seen.truth));
  EXPECT_LT(seen.gain, 0);
}

}  // namespace
}  // namespace evenkeel::shadow_test
