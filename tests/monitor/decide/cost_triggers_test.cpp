// Tests the triggers that compare the loss with the cost of a rebalance, and commands from outside,
// through fold() and explain() of decide/decision.hpp.

#include "decide/decision.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

namespace evenkeel::cost_triggers_test {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

DecisionState state_of(const Trigger& trigger, double expected_cost = 5) {
  return {.trigger = trigger, .expected_cost = expected_cost};
}

// A look at 8 steps, in which ranks work for these milliseconds per step.
Totals look(const std::vector<std::int64_t>& milliseconds, std::int64_t step = 100) {
  return test::over_ranks(milliseconds.size(), [&](std::size_t rank) {
    Sample sample = test::sample_of_steps(test::StepLoads(8, milliseconds[rank] * millisecond));
    sample.step = step;
    sample.duration = 0;
    return totals_of(sample, 0);
  });
}

// Returns the verdict on the last look.
Verdict after(DecisionState state, const std::vector<Totals>& looks) {
  Verdict verdict;
  for (const Totals& totals : looks) {
    verdict = fold(state, totals);
    state = verdict.state;
  }
  return verdict;
}

std::string reason_of(const DecisionState& state, const std::vector<Totals>& looks) {
  const Verdict verdict = after(state, looks);
  return explain(verdict.state, looks.back(), verdict.decision);
}

// Procassini weighs a gain. Unlike a loss, it must exceed the cost.
bool acts(const Trigger& trigger, double loss, double cost) {
  return std::holds_alternative<Procassini>(trigger) ? loss > cost : loss >= cost;
}

// `loss` and `cost` are in milliseconds.
void expect_weighed(const Verdict& verdict, double loss, double cost) {
  const Decision& decision = verdict.decision;
  const bool act = acts(verdict.state.trigger, loss, cost);
  EXPECT_DOUBLE_EQ(decision.weighed, loss * millisecond);
  EXPECT_DOUBLE_EQ(decision.against, cost * millisecond);
  EXPECT_STREQ(name_of(decision.action), act ? "rebalance" : "hold");
  EXPECT_STREQ(name_of(decision.reason), act ? "above_cost" : "below_cost");
}

// --- By hand -------------------------------------------------------------------------------------

// In each of 8 steps, 1 ms is lost. A step takes 2 ms on average.
TEST(CostTriggers, MenonAddsUpWhatWasLost) {
  const Totals uneven = look({1, 2, 3});
  expect_weighed(after(state_of(Menon{}), {uneven}), 8, 10);
  expect_weighed(after(state_of(Menon{}), {uneven, uneven}), 16, 10);
  expect_weighed(after(state_of(Menon{}, 4), {uneven}), 8, 8);
  expect_weighed(after(state_of(Menon{}), {look({2, 2})}), 0, 10);
}

TEST(CostTriggers, ZhaiAddsUpHowMuchSlowerStepsBecame) {
  const Totals fast = look({1, 3}), slow = look({1, 9});
  expect_weighed(after(state_of(Zhai{}), {fast, fast}), 0, 10);
  expect_weighed(after(state_of(Zhai{}), {fast, fast, slow}), (3 - 5) * 8, 25);
  expect_weighed(after(state_of(Zhai{}, 1), {fast, fast, slow, slow}), (3 - 5 + 9 - 6) * 8, 5);
}

// The first look had an efficiency of 2 / 3.
TEST(CostTriggers, ProcassiniAsksWhatTheNextStepWouldWin) {
  expect_weighed(after(state_of(Procassini{}), {look({1, 3})}), 0, 10);
  expect_weighed(after(state_of(Procassini{}, 1), {look({1, 3}), look({0, 6, 0})}), 6 - 3, 2);
  expect_weighed(after(state_of(Procassini{}, 1.5), {look({1, 3}), look({0, 6, 0})}), 3, 3);
  expect_weighed(after(state_of(Procassini{.rho = 2}), {look({1, 3}), look({1, 3})}), 3, 10);
  expect_weighed(after(state_of(Procassini{.rho = 0.5}), {look({1, 3}), look({1, 3})}), -1.5, 10);
}

TEST(CostTriggers, BoulmierSeesGrowthAlone) {
  const Totals constant = look({1, 2, 3}), grown = look({0, 0, 6});
  expect_weighed(after(state_of(Boulmier{}), {constant, constant, constant}), 0, 10);
  expect_weighed(after(state_of(Boulmier{}), {constant, grown}), 16 * 4 - 8 * (1 + 4), 10);
  expect_weighed(after(state_of(Boulmier{}), {grown, constant}), 16 * 1 - 8 * (4 + 1), 10);
}

TEST(CostTriggers, ACostThatIsKnownCounts) {
  DecisionState state = state_of(Menon{});
  state.ledger.cost.learn(7.5 * millisecond, 0);
  expect_weighed(after(state, {look({1, 2, 3})}), 8, 7.5);
  state.ledger.cost = {};
  state.ledger.cost.learn(8.5 * millisecond, 0);
  expect_weighed(after(state, {look({1, 2, 3})}), 8, 8.5);
}

TEST(CostTriggers, ACostCountsInTheLookThatBringsIt) {
  Totals totals = look({1, 2, 3});
  totals.cost = 3 * millisecond;
  expect_weighed(after(state_of(Menon{}), {totals}), 8, 3);
}

TEST(CostTriggers, ARebalanceStartsAnew) {
  const Totals uneven = look({1, 2, 3});
  const DecisionState state = rebalanced(after(state_of(Menon{}), {uneven, uneven}).state, 104, 0);
  expect_weighed(after(state, {look({1, 2, 3}, 112)}), 8, 10);
}

TEST(CostTriggers, PhasesWaitEach) {
  const Totals totals = test::totals_over(
      {{.steps = 1, .load = 4, .phases = {3, 1}}, {.steps = 1, .load = 6, .phases = {1, 5}}});
  EXPECT_EQ(fold(state_of(Menon{}), totals).decision.weighed, 8 - 5);
}

// --- Against their formulas ----------------------------------------------------------------------

// Stores every look since the last rebalance, and every cost.
struct Oracle {
  std::vector<double> steps, greatest, average;  // times per step
  std::vector<double> costs;

  double u(std::size_t i) const { return greatest[i] - average[i]; }
  double n() const {
    return sum([](std::size_t) { return 1.0; });
  }

  // Sums over the steps of all looks up to `last`.
  template <class Value>
  double sum(Value value, std::size_t last = std::numeric_limits<std::size_t>::max()) const {
    double all = 0;
    for (std::size_t i = 0; i < steps.size() && i <= last; ++i) all += value(i) * steps[i];
    return all;
  }

  double cost(double expected_cost) const {
    if (costs.empty()) return expected_cost * average.back();
    double weight = 1, weights = 0, weighted = 0;
    for (auto cost = costs.rbegin(); cost != costs.rend(); ++cost, weight *= 0.8) {
      weights += weight;
      weighted += weight * *cost;
    }
    return weighted / weights;
  }

  double menon() const {
    return sum([&](std::size_t i) { return u(i); });
  }
  double boulmier() const { return n() * u(steps.size() - 1) - menon(); }
  double procassini(double rho) const {
    const double now = average.back() / greatest.back(), then = average[0] / greatest[0];
    return rho * greatest.back() - greatest.back() * now / then;
  }
  double zhai() const {
    return sum([&](std::size_t i) {
      std::vector<double> last;
      for (std::size_t k = i < 2 ? 0 : i - 2; k <= i; ++k) last.push_back(greatest[k]);
      std::ranges::sort(last);
      const double median = (last[(last.size() - 1) / 2] + last[last.size() / 2]) / 2;
      const auto value = [&](std::size_t k) { return greatest[k]; };
      const auto one = [](std::size_t) { return 1.0; };
      return median - sum(value, i) / sum(one, i);
    });
  }

  double loss(const Trigger& trigger) const {
    if (const auto* procassini_of = std::get_if<Procassini>(&trigger))
      return procassini(procassini_of->rho);
    if (std::holds_alternative<Zhai>(trigger)) return zhai();
    return std::holds_alternative<Menon>(trigger) ? menon() : boulmier();
  }
};

class CostTriggersTest : public testing::TestWithParam<Trigger> {};

INSTANTIATE_TEST_SUITE_P(All, CostTriggersTest,
                         testing::Values(Trigger(Menon{}), Trigger(Zhai{}), Trigger(Boulmier{}),
                                         Trigger(Procassini{}), Trigger(Procassini{.rho = 3})),
                         [](const auto& test) {
                           std::string name = to_text(test.param);
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

// Advice is followed or not, and sometimes the application rebalances by itself.
TEST_P(CostTriggersTest, WeighByTheirFormulas) {
  std::mt19937_64 random(14);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  int acted = 0, held = 0;
  for (int run = 0; run < 20; ++run) {
    const auto expected_cost = static_cast<double>(below(30)) / 20;
    DecisionState state = state_of(GetParam(), expected_cost);
    Oracle oracle;
    std::int64_t step = 0, pending_cost = 0;
    const auto ranks = static_cast<std::size_t>(2 + below(5));
    for (int i = 0; i < 50; ++i) {
      const std::int64_t steps = 6 + below(5);
      step += steps;
      double sum = 0, greatest = 0;
      const Totals totals = test::over_ranks(ranks, [&](std::size_t rank) {
        const std::int64_t load = steps * (100 + below(std::int64_t{100} * (i % 10 + 1)));
        sum += static_cast<double>(load);
        greatest = std::max(greatest, static_cast<double>(load));
        return totals_of({.step = step,
                          .steps = steps,
                          .generation = state.generation,
                          .load = load,
                          .cost = rank == 0 ? pending_cost : 0},
                         state.mean_load);
      });
      const auto measured = static_cast<double>(steps);
      oracle.steps.push_back(measured);
      oracle.greatest.push_back(greatest / measured);
      oracle.average.push_back(sum / static_cast<double>(ranks) / measured);
      if (pending_cost > 0) oracle.costs.push_back(static_cast<double>(pending_cost));
      pending_cost = 0;

      const Verdict verdict = fold(state, totals);
      state = verdict.state;
      const Decision& decision = verdict.decision;
      ASSERT_NEAR(decision.weighed, oracle.loss(GetParam()), 1e-6) << run << ' ' << i;
      ASSERT_NEAR(decision.against, oracle.cost(expected_cost), 1e-6) << run << ' ' << i;
      const bool act = acts(GetParam(), decision.weighed, decision.against);
      ASSERT_EQ(decision.action, act ? Action::rebalance : Action::hold);
      ASSERT_EQ(decision.reason, act ? Reason::above_cost : Reason::below_cost);
      (act ? acted : held) += 1;
      if (below(act ? 2 : 20) != 0) continue;
      state = rebalanced(state, step + 5, state.generation + 1);
      const std::vector<double> costs = oracle.costs;
      oracle = {};
      oracle.costs = costs;
      // Sometimes a rebalance is free. Other costs differ by less than a factor of three, so they
      // count in full.
      pending_cost = below(20) == 0 ? 0 : 700 + 100 * below(14);
    }
  }
  EXPECT_GT(acted, 10);
  EXPECT_GT(held, 20);
}

// The first reason that applies must be reported, whatever the loss.
TEST_P(CostTriggersTest, AskOnlyWhereALookCounts) {
  DecisionState state = state_of(GetParam(), 0);  // a rebalance is free: it would act
  state.least_coverage = 0.5;
  state.rebalanced_at = 95;
  state.cooldown_steps = 10;
  state.floor_percent = 60;
  Totals totals = look({1, 2, 3});
  totals.duration = totals.load;
  totals.duration.sum *= 3;
  const auto expect = [&](Reason reason) {
    const Decision decision = fold(state, totals).decision;
    EXPECT_STREQ(name_of(decision.reason), name_of(reason));
    EXPECT_EQ(decision.weighed, 0);
    EXPECT_EQ(decision.against, 0);
  };
  expect(Reason::low_coverage);
  totals.duration.sum /= 3;
  expect(Reason::cooling_down);
  state.rebalanced_at = 90;
  expect(Reason::below_floor);
  state.paused = 1;
  expect(Reason::paused);
  state.paused = 0;
  state.generation = 1;
  expect(Reason::outdated);
}

// The loss of a look must count even if the look leads to no action.
TEST_P(CostTriggersTest, RememberWhatTheCoolDownHides) {
  DecisionState cooling = state_of(GetParam());
  cooling.rebalanced_at = 95;
  cooling.cooldown_steps = 10;
  const std::vector<Totals> looks = {look({1, 2, 3}, 100), look({1, 1, 7}, 108)};
  const Decision with = after(cooling, looks).decision;
  const Decision without = after(state_of(GetParam()), looks).decision;
  EXPECT_EQ(fold(cooling, looks[0]).decision.reason, Reason::cooling_down);
  EXPECT_TRUE(with == without);
}

// --- Words ---------------------------------------------------------------------------------------

TEST(ExplainCost, OfMenon) {
  const Totals uneven = look({1, 2, 3});
  EXPECT_EQ(reason_of(state_of(Menon{}), {uneven}),
            "lambda 1.50 (imbalance 50 %): 8.00 ms lost to imbalance since the last rebalance, "
            "less than the 10.00 ms that a rebalance costs");
  EXPECT_EQ(reason_of(state_of(Menon{}), {uneven, uneven}),
            "lambda 1.50 (imbalance 50 %): 16.00 ms lost to imbalance since the last rebalance, "
            "and a rebalance costs 10.00 ms");
}

TEST(ExplainCost, OfZhai) {
  const Totals fast = look({1, 3}), slow = look({1, 9});
  EXPECT_EQ(reason_of(state_of(Zhai{}), {fast}),
            "lambda 1.50 (imbalance 67 %): 0.00 us lost as steps became slower, less than the "
            "10.00 ms that a rebalance costs");
  EXPECT_EQ(reason_of(state_of(Zhai{}, 1), {fast, fast, slow, slow}),
            "lambda 1.80 (imbalance 89 %): 8.00 ms lost as steps became slower, and a rebalance "
            "costs 5.00 ms");
}

TEST(ExplainCost, OfProcassini) {
  EXPECT_EQ(reason_of(state_of(Procassini{}), {look({1, 3}), look({0, 6, 0})}),
            "lambda 3.00 (imbalance 100 %): 3.00 ms to win in the next step, less than the 10.00 "
            "ms that a rebalance costs");
  EXPECT_EQ(reason_of(state_of(Procassini{}, 1), {look({1, 3}), look({0, 6, 0})}),
            "lambda 3.00 (imbalance 100 %): 3.00 ms to win in the next step, and a rebalance costs "
            "2.00 ms");
}

TEST(ExplainCost, OfBoulmier) {
  EXPECT_EQ(reason_of(state_of(Boulmier{}), {look({1, 2, 3})}),
            "lambda 1.50 (imbalance 50 %): 0.00 us lost to imbalance that has grown, less than the "
            "10.00 ms that a rebalance costs");
  EXPECT_EQ(reason_of(state_of(Boulmier{}), {look({1, 2, 3}), look({0, 0, 6})}),
            "lambda 3.00 (imbalance 100 %): 24.00 ms lost to imbalance that has grown, and a "
            "rebalance costs 10.00 ms");
}

TEST(ExplainCost, OfLongTimes) {
  DecisionState state = state_of(Menon{});
  state.ledger.cost.learn(2.5e9, 0);
  EXPECT_MENTIONS(reason_of(state, {look({100, 200, 300})}),
                  "0.80 s lost to imbalance since the last rebalance, less than the 2.50 s that");
}

// --- Commands ------------------------------------------------------------------------------------

Totals with_command(Command command, Totals totals = look({1, 2, 3})) {
  totals.command = static_cast<std::int64_t>(command);
  return totals;
}

Totals of_generation(std::int64_t generation, Totals totals = look({1, 2, 3})) {
  totals.generation_least = totals.generation_greatest = generation;
  return totals;
}

Totals outdated() { return of_generation(7); }

Totals unfit() {
  Totals totals = look({1, 2, 3});
  totals.unfit = 1;
  return totals;
}

bool always(const LoadView&) { return true; }

TEST(Commands, ARebalanceIsMadeWhateverTheLoadTheSampleAndTheTrigger) {
  for (const Trigger& trigger : {Trigger(Never{}), Trigger(Every{.period = 100}),
                                 Trigger(Threshold{.lambda = 5}), Trigger(Menon{})})
    for (const Totals& totals :
         {look({1, 2, 3}), look({2, 2, 2}), look({2}), look({0, 0}), unfit()}) {
      const Decision decision =
          fold(state_of(trigger), with_command(Command::rebalance, totals)).decision;
      EXPECT_EQ(decision.action, Action::rebalance);
      EXPECT_EQ(decision.reason, Reason::commanded);
    }
}

TEST(Commands, ARebalanceGoesBeforeTheCoolDownTheFloorTheCoverageAndAPause) {
  DecisionState state = state_of(Threshold{.lambda = 1.1});
  state.rebalanced_at = 99;
  state.cooldown_steps = 100;
  state.floor_percent = 99;
  state.least_coverage = 1;
  state.paused = 1;
  EXPECT_EQ(fold(state, with_command(Command::rebalance)).decision.reason, Reason::commanded);
  EXPECT_EQ(fold(state, with_command(Command::none)).decision.reason, Reason::paused);
}

// The decomposition has changed since the command was given.
TEST(Commands, ARebalanceIsNotMadeTwice) {
  const Decision decision =
      fold(state_of(Never{}), with_command(Command::rebalance, outdated())).decision;
  EXPECT_EQ(decision.action, Action::hold);
  EXPECT_EQ(decision.reason, Reason::outdated);
}

TEST(Commands, APauseHoldsUntilSomebodySaysResume) {
  DecisionState state = state_of(Custom{&always});
  EXPECT_EQ(fold(state, look({1, 2})).decision.action, Action::rebalance);
  Verdict verdict = fold(state, with_command(Command::pause));
  EXPECT_EQ(verdict.decision.action, Action::hold);
  EXPECT_EQ(verdict.decision.reason, Reason::paused);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(verdict.state.paused, 1);
    verdict = fold(verdict.state, look({1, 2}));
    EXPECT_EQ(verdict.decision.reason, Reason::paused);
  }
  verdict = fold(verdict.state, with_command(Command::resume));
  EXPECT_EQ(verdict.state.paused, 0);
  EXPECT_EQ(verdict.decision.reason, Reason::custom);
  EXPECT_EQ(verdict.decision.action, Action::rebalance);
  EXPECT_EQ(fold(verdict.state, look({1, 2})).state.paused, 0);
}

TEST(Commands, ARebalanceDoesNotEndAPause) {
  DecisionState state = state_of(Custom{&always});
  state.paused = 1;
  const DecisionState next = fold(state, with_command(Command::rebalance)).state;
  EXPECT_EQ(next.paused, 1);
  EXPECT_EQ(fold(rebalanced(next, 105, 0), look({1, 2})).decision.reason, Reason::paused);
}

TEST(Commands, ALookThatCountsNothingIsHeardToo) {
  for (const Totals& totals : {outdated(), unfit()}) {
    DecisionState state = state_of(Custom{&always});
    state = fold(state, with_command(Command::pause, totals)).state;
    EXPECT_EQ(state.paused, 1);
    state = fold(state, with_command(Command::resume, totals)).state;
    EXPECT_EQ(state.paused, 0);
  }
}

TEST(Commands, WhatNobodyElseSaysIsNone) {
  for (const std::int64_t odd : {-1, -17}) {
    Totals totals = look({1, 2});
    totals.command = odd;
    EXPECT_EQ(fold(state_of(Never{}), totals).decision.reason, Reason::not_asked);
  }
}

TEST(Commands, TheGreatestOfTheRanksCounts) {
  Totals all = totals_of({.steps = 1, .load = 1}, 0);
  combine(all, totals_of({.steps = 1, .load = 1, .command = 2}, 0));
  combine(all, totals_of({.steps = 1, .load = 1, .command = 1}, 0));
  EXPECT_EQ(all.command, static_cast<std::int64_t>(Command::pause));
}

TEST(Commands, InWords) {
  DecisionState state = state_of(Menon{});
  EXPECT_EQ(reason_of(state, {with_command(Command::rebalance)}), "asked for from outside");
  EXPECT_EQ(reason_of(state, {with_command(Command::pause)}), "paused from outside");
}

// --- The predicted gain of a rebalance -----------------------------------------------------------

// Sets the load that the slowest rank would have had in a look of 8 steps under a fresh cut.
Totals with_fresh(Totals totals, double milliseconds) {
  totals.would_be.fresh = std::llround(8 * milliseconds * millisecond);
  return totals;
}

// For every trigger, the prediction covers 1.5 times the measured steps, which is 24 steps. The
// cost is 10 ms.
TEST(PredictedGain, ByHand) {
  const std::vector<Totals> looks(3, look({1, 2, 3}));
  const auto expect = [](const DecisionState& state, const std::vector<Totals>& seen,
                         double expected) {
    EXPECT_NEAR(after(state, seen).decision.predicted_gain / millisecond, expected, 1e-9);
  };
  DecisionState state = state_of(Never{});
  expect(state, looks, 36 - 10);
  expect(state, {with_fresh(looks[0], 2), with_fresh(looks[1], 2), with_fresh(looks[2], 2)},
         36 - 10);
  expect(state, std::vector<Totals>(3, with_fresh(looks[0], 2.5)), 18 - 10);
  expect(state, std::vector<Totals>(3, with_fresh(looks[0], 3)), -10);
  state.horizon = 112;  // 12 steps are left of 112
  expect(state, looks, 12 - 10);
  state.latency_steps = 5;  // 5 of which pass before it acts
  expect(state, looks, 7 - 10);
  state.horizon = 141;  // 36 are left
  expect(state, looks, 36 - 10);
  state.horizon = 140;
  expect(state, looks, 35 - 10);
  state.horizon = 1'000'000;
  expect(state, looks, 36 - 10);
}

// The run is longer than announced, or it ends before a rebalance could take place.
TEST(PredictedGain, IsNoneAtTheEnd) {
  for (const std::int64_t horizon : {50, 100, 104}) {
    DecisionState state = state_of(CostAware{});
    state.horizon = horizon;
    state.latency_steps = 5;
    const Decision decision = after(state, {look({1, 2, 3}), look({1, 2, 3})}).decision;
    EXPECT_EQ(decision.predicted_gain, 0);
    EXPECT_EQ(decision.reason, Reason::near_end);
  }
}

TEST(PredictedGain, IsWhatTheLedgerIsPromised) {
  const Verdict verdict = after(state_of(Menon{}), {look({1, 2, 3}), look({1, 2, 3})});
  EXPECT_NEAR(verdict.decision.predicted_gain, (24 - 10) * millisecond, 1e-3);
  EXPECT_EQ(verdict.state.ledger.gains.promised, verdict.decision.predicted_gain);
  EXPECT_EQ(rebalanced(verdict.state, 105, 1).ledger.last.predicted,
            verdict.decision.predicted_gain);
}

// --- The books of a run --------------------------------------------------------------------------

// Under the replaced domains, the slowest rank would have been as uneven as in the last look
// before, or as a survey reports.
TEST(Rebalanced, OpensAnEntryAgainstWhatItHasReplaced) {
  DecisionState state = after(state_of(Never{}), {look({1, 3}), look({1, 7}), look({1, 5})}).state;
  state = rebalanced(state, 105, 1);
  EXPECT_EQ(state.ledger.last.open, 1);
  EXPECT_DOUBLE_EQ(state.ledger.last.replaced.level, 5.0 / 3 - 1);
  EXPECT_EQ(state.interval.looks, 0);
  Totals next = of_generation(1, look({2, 2}, 116));
  next.cost = 3 * millisecond;
  state = fold(state, next).state;
  EXPECT_NEAR(state.ledger.last.net(), (8 * 2 * 5.0 / 3 - 8 * 2 - 3) * millisecond, 1);
  next = of_generation(1, look({2, 2}, 124));
  next.would_be.previous = 8 * 4 * millisecond;  // the level changes linearly since the look before
  state = fold(state, next).state;
  const double line = 2 * (1 + (2.0 / 3 + 1) / 2);
  EXPECT_NEAR(state.ledger.last.net(), (8 * (line - 2) + 8 * (4 - 2) - 3) * millisecond, 1);
}

TEST(Rebalanced, WithoutALookBeforeNothingIsClaimed) {
  EXPECT_EQ(rebalanced(state_of(Never{}), 0, 1).ledger.last.open, 0);
}

// The work of ranks must count, whether or not the look can lead to a decision.
TEST(Fold, WhatNobodyCanDecideByIsInTheAccountAllTheSame) {
  const DecisionState state = rebalanced(after(state_of(Menon{}), {look({1, 2, 3})}).state, 105, 0);
  for (const Totals& totals : {outdated(), unfit()}) {
    const DecisionState next = fold(state, totals).state;
    EXPECT_EQ(next.ledger.run.steps, state.ledger.run.steps + 8);
    EXPECT_EQ(next.ledger.run.worked, state.ledger.run.worked + 8 * 2 * millisecond);
    EXPECT_EQ(next.ledger.slowest, state.ledger.slowest + 8 * 3 * millisecond);
    EXPECT_EQ(next.interval.looks, 0);
    EXPECT_EQ(next.outlook.measured, state.outlook.measured);
  }
  EXPECT_EQ(fold(state, Totals{}).state.ledger.run.steps, state.ledger.run.steps);
}

// The cost of a rebalance arrives with the first look after it. It must count even if this look
// leads to no decision.
TEST(Fold, WhatARebalanceCostIsInTheBooksAllTheSame) {
  const DecisionState state = rebalanced(after(state_of(Menon{}), {look({1, 2, 3})}).state, 105, 0);
  for (Totals totals : {outdated(), unfit()}) {
    totals.cost = 3 * millisecond;
    const DecisionState next = fold(state, totals).state;
    EXPECT_EQ(next.ledger.spent, 3 * millisecond);
    EXPECT_EQ(next.ledger.cost.cost, 3 * millisecond);
  }
}

// The domains that the first rebalance has replaced must count, and the costs of both rebalances.
TEST(Rebalanced, TwoWithoutALookBetweenThemAreWeighedTogether) {
  DecisionState state = after(state_of(Never{}), {look({1, 3})}).state;
  state = rebalanced(rebalanced(state, 105, 1), 106, 2);
  EXPECT_EQ(state.ledger.last.open, 1);
  EXPECT_EQ(state.ledger.gains.counted, 0);
  EXPECT_DOUBLE_EQ(state.ledger.last.replaced.level, 0.5);
}

// A rebalance that moves nothing is cheap. It must not make the next one, which moves objects, look
// cheap.
TEST(Rebalanced, OneThatMovedNothingDoesNotMakeTheNextOneCheap) {
  DecisionState state = state_of(Never{});
  for (const std::int64_t bytes : {1'000'000, 0}) {
    Totals totals = look({1, 2, 3});
    totals.bytes = bytes;
    totals.cost = bytes > 0 ? 100 * millisecond : millisecond;
    state = fold(state, totals).state;
  }
  EXPECT_GT(state.ledger.cost.cost, 50 * millisecond);
}

}  // namespace
}  // namespace evenkeel::cost_triggers_test
