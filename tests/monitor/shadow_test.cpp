#include "shadow.hpp"

#include "support/harness.hpp"

#include <evenkeel/monitor/decision.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace evenkeel {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

// In mean steps, of which each takes 10 ms.
constexpr double expected_cost = 2;
constexpr double cost = 20 * millisecond;

// A millisecond in each of the steps of a look.
constexpr double per_look = 8.0 * millisecond;

State first(const Trigger& trigger, std::int64_t cooldown_steps = 0) {
  State state;
  state.trigger = trigger;
  state.cooldown_steps = cooldown_steps;
  state.expected_cost = expected_cost;
  return state;
}

// A look of 8 steps on two ranks, of which one works `waste` milliseconds longer than the average
// of 10.
Totals look(std::int64_t waste, std::int64_t at, std::int64_t command = 0) {
  const auto totals_of_rank = [&](std::int64_t load) {
    return totals_of({.step = at,
                      .steps = 8,
                      .load = 8 * load * millisecond,
                      .duration = 8 * load * millisecond,
                      .command = command},
                     0);
  };
  Totals all = totals_of_rank(10 - waste);
  combine(all, totals_of_rank(10 + waste));
  return all;
}

// After looks that waste so many milliseconds per step.
Shadow after(const State& state, const std::vector<std::int64_t>& wastes) {
  Shadow shadow(state);
  std::int64_t at = 0;
  for (const std::int64_t waste : wastes) shadow.look(look(waste, at += 8));
  return shadow;
}

TEST(Shadow, WithoutALookThereIsNothing) {
  const Shadow shadow(first(Threshold{.lambda = 1.1}));
  EXPECT_EQ(shadow.gain(), 0);
  EXPECT_EQ(shadow.rebalances(), 0);
}

// The look that asks for a rebalance has lost its time already.
TEST(Shadow, AConstantImbalanceIsCuredOnce) {
  const Shadow shadow = after(first(Threshold{.lambda = 1.1}), {4, 4, 4, 4, 4});
  EXPECT_EQ(shadow.rebalances(), 1);
  EXPECT_DOUBLE_EQ(shadow.gain(), 4 * 4 * per_look - cost);
}

TEST(Shadow, AnEvenLoadIsLeftAlone) {
  const Shadow shadow = after(first(Threshold{.lambda = 1.1}), {0, 0, 0, 0});
  EXPECT_EQ(shadow.rebalances(), 0);
  EXPECT_EQ(shadow.gain(), 0);
}

TEST(Shadow, WhatStaysBelowTheThresholdIsLeftAlone) {
  EXPECT_EQ(after(first(Threshold{.lambda = 1.5}), {4, 4, 4, 4}).rebalances(), 0);
  EXPECT_EQ(after(first(Threshold{.lambda = 1.4}), {4, 4, 4, 4}).rebalances(), 1);
}

// An imbalance that goes away by itself was not worth curing: the gain is what was saved until
// then, less the cost.
TEST(Shadow, AGainMayBeALoss) {
  const Shadow shadow = after(first(Threshold{.lambda = 1.1}), {4, 1, 0, 0});
  EXPECT_EQ(shadow.rebalances(), 1);
  EXPECT_DOUBLE_EQ(shadow.gain(), per_look - cost);
}

// With lambda 1.3 the shadow acts at 3 ms, and then when 3 ms more have come.
TEST(Shadow, ALoadThatDriftsIsCuredAgain) {
  const Shadow shadow = after(first(Threshold{.lambda = 1.3}), {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(shadow.rebalances(), 2);
  EXPECT_DOUBLE_EQ(shadow.gain(), (3 + 3 + 3 + 6 + 6) * per_look - 2 * cost);
}

TEST(Shadow, CoolsDownAsTheRunWould) {
  const Shadow shadow = after(first(Threshold{.lambda = 1.3}, 24), {3, 6, 6, 6, 9});
  EXPECT_EQ(shadow.rebalances(), 2);  // after steps 8 and 32
  EXPECT_DOUBLE_EQ(shadow.gain(), (3 + 3 + 3 + 6) * per_look - 2 * cost);
}

// Lost are 8 and 24 ms, and 20 ms is what a rebalance costs; then nothing more is lost.
TEST(Shadow, MenonPaysWhenItHasLostTheCost) {
  const Shadow shadow = after(first(Menon{}), {1, 3, 3, 3});
  EXPECT_EQ(shadow.rebalances(), 1);
  EXPECT_DOUBLE_EQ(shadow.gain(), 2 * 3 * per_look - cost);
}

TEST(Shadow, ACostThatIsKnownCounts) {
  State state = first(Threshold{.lambda = 1.1});
  state.ledger.cost.learn(5 * millisecond, 0);
  EXPECT_DOUBLE_EQ(after(state, {4, 4}).gain(), 4 * per_look - 5 * millisecond);
}

TEST(Shadow, LearnsNoCostOfWhatWasNotMade) {
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  Totals odd = look(4, 8);
  odd.cost = 5 * millisecond;
  shadow.look(odd);
  shadow.look(look(4, 16));
  EXPECT_DOUBLE_EQ(shadow.gain(), 4 * per_look - cost);
}

// Both phases wait 2 ms for their slowest rank; a rebalance takes that.
TEST(Shadow, CountsWhatIsLostInEveryPhase) {
  const auto look_of_phases = [](std::int64_t at) {
    const auto work = [](std::int64_t milliseconds) { return 8 * milliseconds * millisecond; };
    Totals all =
        totals_of({.step = at, .steps = 8, .load = work(10), .phases = {work(3), work(7)}}, 0);
    combine(all,
            totals_of({.step = at, .steps = 8, .load = work(10), .phases = {work(7), work(3)}}, 0));
    return all;
  };
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  for (std::int64_t at = 8; at <= 24; at += 8) shadow.look(look_of_phases(at));
  EXPECT_EQ(shadow.rebalances(), 1);
  EXPECT_DOUBLE_EQ(shadow.gain(), 2 * 4 * per_look - cost);
}

TEST(Shadow, HearsWhatIsSaidFromOutside) {
  Shadow shadow(first(Never{}));
  shadow.look(look(4, 8, static_cast<std::int64_t>(Command::rebalance)));
  shadow.look(look(4, 16));
  EXPECT_EQ(shadow.rebalances(), 1);
  EXPECT_DOUBLE_EQ(shadow.gain(), 4 * per_look - cost);
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

// A sample that is not to be trusted says nothing of what would have been saved.
TEST(Shadow, ALookThatIsNotTrustedSavesNothing) {
  Shadow shadow(first(Threshold{.lambda = 1.1}));
  shadow.look(look(4, 8));
  Totals unfit = look(4, 16);
  unfit.unfit = 1;
  shadow.look(unfit);
  EXPECT_DOUBLE_EQ(shadow.gain(), -cost);
}

// The same decisions by hand: waste beyond what was taken last is what a Threshold sees.
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

}  // namespace
}  // namespace evenkeel
