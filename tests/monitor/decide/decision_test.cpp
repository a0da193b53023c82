#include "support/harness.hpp"

#include "decide/decision.hpp"
#include "monitor/over_ranks.hpp"

namespace evenkeel::decision_test {
namespace {

// Totals at the end of step 100 under generation 0. Kernels cover half of the time.
Totals totals_of_loads(const std::vector<std::int64_t>& loads) {
  return test::over_ranks(loads.size(), [&](std::size_t rank) {
    const std::int64_t load = loads[rank];
    return totals_of({.step = 100, .steps = 8, .load = load, .duration = 2 * load}, 0);
  });
}

// The maximum is 3 and the average 2: lambda is 1.5, the imbalance 50 %.
Totals uneven() { return totals_of_loads({1000, 2000, 3000}); }

bool always(const LoadView&) { return true; }
bool never(const LoadView&) { return false; }

DecisionState state_of(const Trigger& trigger) { return {.trigger = trigger}; }

void expect_decision(const DecisionState& state, const Totals& totals, Action action,
                     Reason reason) {
  const Decision decision = fold(state, totals).decision;
  EXPECT_STREQ(name_of(decision.action), name_of(action));
  EXPECT_STREQ(name_of(decision.reason), name_of(reason));
}

void expect_hold(const DecisionState& state, const Totals& totals, Reason reason) {
  expect_decision(state, totals, Action::hold, reason);
}

// --- fold ----------------------------------------------------------------------------------------

TEST(Fold, ActsAtTheThreshold) {
  const auto expect = [](const Threshold& threshold, bool act) {
    expect_decision(state_of(threshold), uneven(), act ? Action::rebalance : Action::hold,
                    act ? Reason::above_threshold : Reason::below_threshold);
  };
  expect({.lambda = 1.4}, true);
  expect({.lambda = 1.5}, true);
  expect({.lambda = std::nextafter(1.5, 2.0)}, false);
  expect({.imbalance_percent = 49}, true);
  expect({.imbalance_percent = 50}, true);
  expect({.imbalance_percent = std::nextafter(50.0, 51.0)}, false);
  expect({.lambda = 1.4, .imbalance_percent = 60}, true);
  expect({.lambda = 1.6, .imbalance_percent = 40}, true);
  expect({.lambda = 1.6, .imbalance_percent = 60}, false);
}

// --- Memory --------------------------------------------------------------------------------------

Totals filling(std::int64_t bytes, std::int64_t steps_left) {
  Totals totals = totals_of_loads({1000, 1000});
  totals.memory.fullest = {7, bytes, 16'000'000'000, steps_left};
  totals.memory.soonest = totals.memory.fullest;
  totals.memory.asked = steps_left;
  return totals;
}

// A rebalance by the next look acts epoch + latency steps after this one; the latency counts twice.
TEST(Memory, ActsBeforeARankIsFull) {
  const DecisionState state = {
      .trigger = Threshold{.lambda = 5}, .floor_percent = 2, .epoch_steps = 8, .latency_steps = 5};
  expect_hold(state, filling(14'200'000'000, 19), Reason::below_floor);
  expect_decision(state, filling(14'200'000'000, 18), Action::rebalance, Reason::memory);
  const Totals full = filling(17'000'000'000, 0);
  expect_decision(state, full, Action::rebalance, Reason::memory);
  DecisionState other = state;
  other.paused = 1;
  expect_hold(other, full, Reason::paused);
  other = state;
  other.trigger = Never{};
  expect_hold(other, full, Reason::not_asked);
  Totals quiet = full;
  quiet.memory.asked = RankMemory::never;
  expect_hold(state, quiet, Reason::below_floor);
  other = state;
  other.outlook.wanted_generation = 3;
  EXPECT_EQ(fold(other, full).state.outlook.wanted_generation, -1) << "a new cut is needed";
}

TEST(Memory, IsExplained) {
  const DecisionState state = {.trigger = Every{.period = 5}, .epoch_steps = 400};
  const auto text = [&](const Totals& totals) {
    return explain(state, totals, fold(state, totals).decision);
  };
  EXPECT_EQ(text(filling(14'200'000'000, 380)),
            "rank 7 holds 14.2 GB of its 16.0 GB and is full in 380 steps at this growth");
  EXPECT_EQ(text(filling(17'000'000'000, 0)), "rank 7 holds 17.0 GB of its 16.0 GB");
}

// --- Shifts --------------------------------------------------------------------------------------

DecisionState shifting(const Trigger& trigger) {
  return {.trigger = trigger, .shift_rounds = 2, .kept_from = 0};
}

TEST(Shifts, TakeThePlaceOfANewCut) {
  DecisionState state = shifting(Threshold{.lambda = 1.4});
  const Verdict first = fold(state, uneven());
  EXPECT_EQ(first.decision.reason, Reason::shifts);
  EXPECT_EQ(first.state.refinement.wanted, ShiftCourse::of_all);
  EXPECT_MENTIONS(explain(state, uneven(), first.decision), "shift 1 of 2");
  // If shifts are off, or the domains must not be shifted, there must be a new cut.
  for (const bool is_off : {true, false}) {
    DecisionState other = state;
    (is_off ? other.shift_rounds : other.kept_from) = is_off ? 0 : 1;
    const Verdict verdict = fold(other, uneven());
    EXPECT_EQ(verdict.decision.reason, Reason::above_threshold);
    EXPECT_EQ(verdict.state.refinement.wanted, 0);
  }
  // Rounds count, and after the last round the trigger rests.
  state = rebalanced(first.state, 100, 0, RebalanceKind::shift);
  EXPECT_EQ(state.refinement.rounds, 1);
  EXPECT_EQ(fold(state, uneven()).decision.reason, Reason::refined);
  // A new cut resets everything.
  state = rebalanced(state, 100, 0, RebalanceKind::fresh);
  EXPECT_EQ(state.refinement.rounds, 0);
  EXPECT_EQ(fold(state, uneven()).decision.reason, Reason::shifts);
}

TEST(Shifts, AreNotForWhoDidNotAsk) {
  expect_hold(shifting(Threshold{.lambda = 1.6}), uneven(), Reason::below_threshold);
  expect_hold(shifting(Never{}), uneven(), Reason::not_asked);
  DecisionState state = shifting(Threshold{.lambda = 1.4});
  state.paused = 1;
  expect_hold(state, uneven(), Reason::paused);
  state = shifting(Threshold{.lambda = 1.4});
  state.floor_percent = 60;
  expect_hold(state, uneven(), Reason::below_floor);
  Totals commanded = uneven();
  commanded.command = static_cast<std::int64_t>(Command::rebalance);
  state = fold(shifting(Threshold{.lambda = 1.4}), uneven()).state;
  EXPECT_EQ(state.refinement.wanted, ShiftCourse::of_all);
  const Verdict verdict = fold(state, commanded);
  EXPECT_EQ(verdict.decision.reason, Reason::commanded);
  EXPECT_EQ(verdict.state.refinement.wanted, 0) << "a new cut was asked for";
}

TEST(Fold, HoldsForEveryReasonInTurn) {
  DecisionState state = {.trigger = Threshold{.lambda = 1.4},
                         .floor_percent = 60,
                         .least_coverage = 0.6,
                         .cooldown_steps = 10,
                         .generation = 3,
                         .rebalanced_at = 95};
  Totals totals = totals_of_loads({0, 0});
  totals.unfit = 1;
  expect_hold(state, totals, Reason::outdated);
  state.generation = 0;
  expect_hold(state, totals, Reason::unfit);
  totals.unfit = 0;
  expect_hold(state, totals, Reason::no_load);
  totals = uneven();
  expect_hold(state, totals, Reason::low_coverage);
  state.least_coverage = 0.5;
  expect_hold(state, totals, Reason::cooling_down);
  state.rebalanced_at = 90;
  expect_hold(state, totals, Reason::below_floor);
  state.floor_percent = 50;
  expect_decision(state, totals, Action::rebalance, Reason::above_threshold);
  state.trigger = Threshold{.lambda = 1.6};
  expect_hold(state, totals, Reason::below_threshold);
}

TEST(Fold, DropsTotalsOfAnotherGeneration) {
  const DecisionState state = state_of(Threshold{.lambda = 1.4});
  Totals one_rank_behind = uneven();
  one_rank_behind.generation_greatest = 1;
  expect_hold(state, one_rank_behind, Reason::outdated);
  one_rank_behind.generation_least = 1;
  expect_hold(state, one_rank_behind, Reason::outdated);
  DecisionState next = state;
  next.generation = 1;
  expect_decision(next, one_rank_behind, Action::rebalance, Reason::above_threshold);
  expect_hold(next, uneven(), Reason::outdated);
}

TEST(Fold, TrustsNoUnfitTotals) {
  const DecisionState state = state_of(Custom{&always});
  Totals apart = uneven();
  apart.step_greatest = 101;
  expect_hold(state, apart, Reason::unfit);
  expect_hold(state, Totals{}, Reason::unfit);
  Totals unfit = uneven();
  unfit.unfit = 3;
  expect_hold(state, unfit, Reason::unfit);
}

TEST(Fold, CoolsDownForTheGivenStepsAlone) {
  DecisionState state = state_of(Threshold{.lambda = 1.4});
  state.cooldown_steps = 8;
  expect_decision(state, uneven(), Action::rebalance, Reason::above_threshold);  // never rebalanced
  for (std::int64_t at = 0; at <= 100; ++at) {
    state.rebalanced_at = at;
    const Reason reason = at > 92 ? Reason::cooling_down : Reason::above_threshold;
    EXPECT_EQ(fold(state, uneven()).decision.reason, reason) << at;
  }
  state.cooldown_steps = 0;
  expect_decision(state, uneven(), Action::rebalance, Reason::above_threshold);
  state.rebalanced_at = 0;  // the first distribution, before any step
  state.cooldown_steps = 101;
  expect_hold(state, uneven(), Reason::cooling_down);
}

TEST(Fold, DoesNotAskTheLoadForTheOthers) {
  expect_hold(state_of(Never{}), uneven(), Reason::not_asked);
  expect_hold(state_of(Every{}), uneven(), Reason::not_asked);
  expect_hold(state_of(Never{}), totals_of_loads({0, 0}), Reason::not_asked);
}

TEST(Fold, AsksACustomRule) {
  expect_decision(state_of(Custom{&always}), uneven(), Action::rebalance, Reason::custom);
  expect_hold(state_of(Custom{&never}), uneven(), Reason::custom);
  expect_hold(state_of(Custom{}), uneven(), Reason::custom);
  DecisionState cooling = state_of(Custom{&always});
  cooling.rebalanced_at = 99;
  cooling.cooldown_steps = 8;
  expect_hold(cooling, uneven(), Reason::cooling_down);
  // The custom rule sees the average load of the previous look: 2000 in 8 steps.
  DecisionState growing =
      state_of(Custom{[](const LoadView& load) { return load.average > load.average_before; }});
  growing.interval.peak.front() = 300;
  growing.interval.waste.front() = 50.1;
  expect_decision(growing, uneven(), Action::rebalance, Reason::custom);
  growing.interval.waste.front() = 50;
  expect_hold(growing, uneven(), Reason::custom);
}

// The custom rule gets times in seconds per step.
TEST(Fold, WhatARuleOfOnesOwnSees) {
  static LoadView seen;
  DecisionState state = state_of(Custom{[](const LoadView& load) {
    seen = load;
    return false;
  }});
  state.looks = 4;
  state.rebalances = 2;
  state.rebalanced_at = 70;
  state.expected_cost = 6;
  state.interval.steps = 8;
  state.interval.wasted = 500;
  state.interval.peak.front() = 300;
  state.interval.waste.front() = 75;
  expect_hold(state, uneven(), Reason::custom);
  EXPECT_EQ(seen.step, 100);
  EXPECT_EQ(seen.steps, 8);
  EXPECT_EQ(seen.steps_since, 30);
  EXPECT_EQ(seen.ranks, 3);
  EXPECT_EQ(seen.looks, 4);
  EXPECT_EQ(seen.rebalances, 2);
  EXPECT_DOUBLE_EQ(seen.slowest, 375e-9);
  EXPECT_DOUBLE_EQ(seen.average, 250e-9);
  EXPECT_DOUBLE_EQ(seen.waste(), 125e-9);
  EXPECT_DOUBLE_EQ(seen.average_before, 225e-9);
  EXPECT_DOUBLE_EQ(seen.wasted, 1500e-9);
  EXPECT_DOUBLE_EQ(seen.cost, 6 * 250e-9);
  EXPECT_DOUBLE_EQ(seen.lambda, 1.5);
  EXPECT_DOUBLE_EQ(seen.imbalance_percent, 50);

  state.rebalanced_at = -1;
  state.interval = {};
  expect_hold(state, uneven(), Reason::custom);
  EXPECT_EQ(seen.steps_since, 100) << "the start";
  EXPECT_EQ(seen.average_before, 0);
  EXPECT_DOUBLE_EQ(seen.wasted, 1000e-9);
}

// A single rank has lambda 1 and imbalance 0 under any load. A custom rule may still act.
TEST(Fold, OneRankIsEven) {
  const Totals alone = totals_of_loads({1000});
  expect_hold(state_of(Threshold{.lambda = std::nextafter(1.0, 2.0)}), alone,
              Reason::below_threshold);
  expect_hold(state_of(Threshold{.imbalance_percent = 1e-300}), alone, Reason::below_threshold);
  expect_decision(state_of(Custom{&always}), alone, Action::rebalance, Reason::custom);
}

TEST(Fold, TheStateRemembersTheLook) {
  DecisionState state = state_of(Threshold{.lambda = 1.4});
  state.looks = 4;
  state.step = 92;
  state.rebalances = 2;
  state.rebalanced_at = 50;
  state.mean_load = 17;
  const DecisionState after = fold(state, uneven()).state;
  EXPECT_EQ(after.looks, 5);
  EXPECT_EQ(after.step, 100);
  EXPECT_EQ(after.mean_load, 2000);
  EXPECT_TRUE(after.trigger == state.trigger);
  EXPECT_EQ(after.generation, 0);
  EXPECT_EQ(after.rebalances, 2);  // decided, but nothing has moved yet
  EXPECT_EQ(after.rebalanced_at, 50);
  EXPECT_EQ(fold(state, totals_of_loads({0, 0})).state.mean_load, 0);
  EXPECT_EQ(fold(state, totals_of_loads({1, 2})).state.mean_load, 1);
}

TEST(Fold, ALookThatCountsNothingLeavesTheMean) {
  DecisionState state = state_of(Threshold{.lambda = 1.4});
  state.mean_load = 17;
  Totals outdated = uneven(), unfit = uneven(), apart = uneven();
  outdated.generation_least = outdated.generation_greatest = 7;
  unfit.unfit = 1;
  apart.step_least = 90;
  for (const Totals& totals : {outdated, unfit, apart}) {
    const DecisionState after = fold(state, totals).state;
    EXPECT_EQ(after.looks, 1);
    EXPECT_EQ(after.step, 100);
    EXPECT_EQ(after.mean_load, 17);
  }
}

TEST(Rebalanced, IsCountedAndStartsTheCoolDown) {
  DecisionState state = state_of(Threshold{.lambda = 1.4});
  state.cooldown_steps = 8;
  state.looks = 4;
  const DecisionState after = rebalanced(state, 96, 1);
  EXPECT_EQ(after.rebalances, 1);
  EXPECT_EQ(after.rebalanced_at, 96);
  EXPECT_EQ(after.generation, 1);
  EXPECT_EQ(after.looks, 4);
  expect_hold(after, uneven(), Reason::outdated);
  Totals next = uneven();
  next.generation_least = next.generation_greatest = 1;
  expect_hold(after, next, Reason::cooling_down);
  EXPECT_EQ(rebalanced(after, 104, 2).rebalances, 2);
}

// The result of fold() must depend only on its arguments.
TEST(Fold, IsPure) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    DecisionState state = state_of(Threshold{.lambda = 1.2});
    state.rebalanced_at = static_cast<std::int64_t>(random() % 200) - 100;
    state.cooldown_steps = static_cast<std::int64_t>(random() % 20);
    std::vector<std::int64_t> loads(1 + random() % 5);
    for (std::int64_t& load : loads) load = static_cast<std::int64_t>(random() % 1000);
    const Totals totals = totals_of_loads(loads);
    const Verdict first = fold(state, totals), second = fold(state, totals);
    EXPECT_EQ(hash_of(first.state), hash_of(second.state));
    EXPECT_EQ(hash_of(first.decision), hash_of(second.decision));
    EXPECT_EQ(explain(state, totals, first.decision), explain(state, totals, second.decision));
  }
}

// --- Words ---------------------------------------------------------------------------------------

std::string reason_of(const DecisionState& state, const Totals& totals) {
  return explain(state, totals, fold(state, totals).decision);
}

std::string reason_of(const Threshold& threshold, const Totals& totals) {
  return reason_of(state_of(threshold), totals);
}

TEST(Explain, TheThreshold) {
  EXPECT_EQ(reason_of({.lambda = 1.10}, uneven()),
            "lambda 1.50 (imbalance 50 %) is above the threshold of 1.10");
  EXPECT_EQ(reason_of({.imbalance_percent = 10}, uneven()),
            "imbalance 50 % (lambda 1.50) is above the threshold of 10 %");
  EXPECT_EQ(reason_of({.lambda = 1.75}, uneven()),
            "lambda 1.50 (imbalance 50 %) is below the threshold of 1.75");
  EXPECT_EQ(reason_of({.imbalance_percent = 62.5}, uneven()),
            "imbalance 50.0 % (lambda 1.50) is below the threshold of 62.5 %");
  EXPECT_EQ(reason_of({.lambda = 1.6, .imbalance_percent = 60}, uneven()),
            "lambda 1.50 (imbalance 50 %) is below the thresholds of 1.60 and 60 %");
  EXPECT_EQ(reason_of({.lambda = 1.4, .imbalance_percent = 60}, uneven()),
            "lambda 1.50 (imbalance 50 %) is above the threshold of 1.40");
  EXPECT_EQ(reason_of({.lambda = 1.6, .imbalance_percent = 40}, uneven()),
            "imbalance 50 % (lambda 1.50) is above the threshold of 40 %");
}

// A rounded figure must show on which side of its limit it is, with up to six decimals.
TEST(Explain, ShowsTheDecimalsThatMatter) {
  EXPECT_EQ(reason_of({.lambda = 1.501}, uneven()),
            "lambda 1.500 (imbalance 50 %) is below the threshold of 1.501");
  EXPECT_EQ(reason_of({.lambda = 1.1}, totals_of_loads({901, 1099})),
            "lambda 1.099 (imbalance 18 %) is below the threshold of 1.100");
  EXPECT_EQ(reason_of({.lambda = 1.5}, uneven()),
            "lambda 1.50 (imbalance 50 %) is above the threshold of 1.50");
  EXPECT_EQ(reason_of({.lambda = 1 + 1e-12}, totals_of_loads({5, 5})),
            "lambda 1.000000 (imbalance 0 %) is below the threshold of 1.000000");
  EXPECT_MENTIONS(reason_of({.lambda = 1e308}, uneven()), "threshold of 1000000000");
}

TEST(Explain, EveryOtherReason) {
  DecisionState state = state_of(Threshold{.lambda = 1.4});
  Totals totals = uneven();
  state.floor_percent = 50.5;
  EXPECT_EQ(reason_of(state, totals),
            "imbalance 50.0 % (lambda 1.50) is below the floor of 50.5 %");
  state.rebalanced_at = 97;
  state.cooldown_steps = 8;
  EXPECT_EQ(reason_of(state, totals), "3 of 8 steps of cool-down have passed");
  state.least_coverage = 0.75;
  EXPECT_EQ(reason_of(state, totals),
            "the kernels cover 50 % of the time, less than the 75 % asked for");
  EXPECT_EQ(reason_of(state, totals_of_loads({0, 0})), "no kernel ran in 8 steps");
  totals.unfit = 1;
  EXPECT_EQ(reason_of(state, totals), "1 of 3 ranks had no usable sample");
  totals.step_greatest = 102;
  EXPECT_EQ(reason_of(state, totals), "the ranks are at different steps, from 100 to 102");
  state.generation = 4;
  EXPECT_EQ(reason_of(state, totals),
            "the load was measured under generation 0 of the domains, which are at generation 4 "
            "now");
  totals.generation_greatest = 1;
  EXPECT_EQ(reason_of(state, totals),
            "the load was measured under generation 0 to 1 of the domains, which are at generation "
            "4 now");
  EXPECT_EQ(reason_of(state_of(Every{.period = 10}), uneven()),
            "the trigger 'every 10' does not look at the load");
  EXPECT_EQ(reason_of(state_of(Custom{&always}), uneven()),
            "lambda 1.50 (imbalance 50 %): the application's own rule says rebalance");
  EXPECT_EQ(reason_of(state_of(Custom{&never}), uneven()),
            "lambda 1.50 (imbalance 50 %): the application's own rule says hold");
  EXPECT_EQ(explain(state_of(Every{.period = 10}), totals, {Action::rebalance, Reason::due}),
            "every 10");
  EXPECT_EQ(explain(state, totals, {Action::rebalance, Reason::requested}),
            "asked for by the application");
}

TEST(Explain, SaysSomethingForAnyCombination) {
  for (int reason = 0; reason <= static_cast<int>(Reason::in_debt) + 1; ++reason)
    for (const Action action : {Action::hold, Action::rebalance})
      for (const Trigger& trigger : {Trigger(Never{}), Trigger(Threshold{.lambda = 2})})
        EXPECT_FALSE(
            explain(state_of(trigger), Totals{}, {action, static_cast<Reason>(reason)}).empty());
}

TEST(NameOf, IsDistinct) {
  std::vector<std::string> names;
  for (int reason = 0; reason <= static_cast<int>(Reason::in_debt); ++reason)
    names.emplace_back(name_of(static_cast<Reason>(reason)));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_EQ(std::ranges::find(names, "unknown"), names.end());
  EXPECT_STREQ(name_of(static_cast<Reason>(99)), "unknown");
  EXPECT_STREQ(name_of(Action::hold), "hold");
  EXPECT_STREQ(name_of(Action::rebalance), "rebalance");
  EXPECT_STREQ(name_of(static_cast<Action>(99)), "unknown");
}

// --- Hash ----------------------------------------------------------------------------------------

TEST(HashOfDecision, DistinguishesDecisions) {
  std::vector<std::uint64_t> hashes;
  for (const Action action : {Action::hold, Action::rebalance})
    for (int reason = 0; reason <= static_cast<int>(Reason::in_debt); ++reason)
      hashes.push_back(hash_of(Decision{action, static_cast<Reason>(reason)}));
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

}  // namespace
}  // namespace evenkeel::decision_test
