#include "support/harness.hpp"

#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/trigger.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <random>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Totals at the end of step 100 of generation 0, in which kernels cover half of the time.
Totals totals_of_loads(const std::vector<std::int64_t>& loads) {
  const auto totals_of_load = [](std::int64_t load) {
    return totals_of({.step = 100, .steps = 8, .load = load, .duration = 2 * load}, 0);
  };
  Totals all = totals_of_load(loads.front());
  for (auto load = loads.begin() + 1; load != loads.end(); ++load)
    combine(all, totals_of_load(*load));
  return all;
}

// Max 3, average 2: lambda 1.5, imbalance 50 %.
Totals uneven() { return totals_of_loads({1000, 2000, 3000}); }

bool always(const State&, const Totals&) { return true; }
bool never(const State&, const Totals&) { return false; }

State state_of(const Trigger& trigger) {
  State state;
  state.trigger = trigger;
  return state;
}

void expect_decision(const State& state, const Totals& totals, Action action, Reason reason) {
  const Decision decision = fold(state, totals).decision;
  EXPECT_STREQ(name_of(decision.action), name_of(action));
  EXPECT_STREQ(name_of(decision.reason), name_of(reason));
}

void expect_hold(const State& state, const Totals& totals, Reason reason) {
  expect_decision(state, totals, Action::hold, reason);
}

// --- Text ----------------------------------------------------------------------------------------

void expect_text(const Trigger& trigger, const std::string& text) {
  EXPECT_EQ(to_text(trigger), text);
  EXPECT_TRUE(trigger_from_text(text) == trigger) << text;
}

TEST(TriggerText, BothWays) {
  expect_text(Never{}, "never");
  expect_text(Every{}, "always");
  expect_text(Every{.period = 10}, "every 10");
  expect_text(Every{.stop = 500, .period = 10}, "every 0:500:10");
  expect_text(Every{.start = 7, .period = 1}, "every 7:0:1");
  expect_text(Every{.start = most, .stop = most, .period = most},
              "every 9223372036854775807:9223372036854775807:9223372036854775807");
  expect_text(Threshold{.lambda = 1.1}, "threshold lambda 1.1");
  expect_text(Threshold{.imbalance_percent = 10}, "threshold imbalance_percent 10");
  expect_text(Threshold{.lambda = 1.25, .imbalance_percent = 100},
              "threshold lambda 1.25 imbalance_percent 100");
  expect_text(Custom{}, "custom");
  EXPECT_EQ(to_text(Custom{&always}), "custom");
}

TEST(TriggerText, OtherSpellings) {
  const auto expect = [](const std::string& text, const Trigger& trigger) {
    EXPECT_TRUE(trigger_from_text(text) == trigger) << text;
  };
  expect("every 1", Every{});
  expect("every 0:0:1", Every{});
  expect("  every\t 10  ", Every{.period = 10});
  expect("threshold imbalance_percent 10 lambda 1.5",
         Threshold{.lambda = 1.5, .imbalance_percent = 10});
  expect("threshold lambda 0 imbalance_percent 10", Threshold{.imbalance_percent = 10});
  expect("threshold lambda 1.1e0", Threshold{.lambda = 1.1});
}

TEST(TriggerText, NumbersKeepTheirBits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> fraction(0, 1);
  for (int i = 0; i < 1000; ++i)
    for (const double lambda : {1 + fraction(random), 1 + 1e-9 * fraction(random),
                                1e300 * (1 + fraction(random)), std::nextafter(1.0, 2.0)}) {
      const Threshold given{.lambda = lambda, .imbalance_percent = 100 * fraction(random) + 1e-300};
      const auto read = std::get<Threshold>(trigger_from_text(to_text(given)));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(read.lambda),
                std::bit_cast<std::uint64_t>(given.lambda));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(read.imbalance_percent),
                std::bit_cast<std::uint64_t>(given.imbalance_percent));
    }
}

TEST(TriggerText, WhatIsNoTriggerIsAnError) {
  for (const char* text : {"",
                           " ",
                           "Never",
                           "never again",
                           "always 3",
                           "every",
                           "every x",
                           "every 1.5",
                           "every 10 20",
                           "every 10:20",
                           "every 1:2:3:4",
                           "every ::10",
                           "every 0:500:",
                           "every 0:500:10x",
                           "every 99999999999999999999",
                           "every +5",
                           "threshold",
                           "threshold 1.1",
                           "threshold lambda",
                           "threshold lambda x",
                           "threshold lambda 1.1x",
                           "threshold lambda 1,1",
                           "threshold lambda 1.1 1.2",
                           "threshold lambda 1.1 lambda 1.2",
                           "threshold lambda 1.1 imbalance_percent",
                           "threshold lambda 1e999",
                           "threshold imbalance 10",
                           "threshold imbalance_percent 10 %",
                           "custom f",
                           "menon"}) {
    const std::string error = test::error_of([&] { static_cast<void>(trigger_from_text(text)); });
    EXPECT_TRUE(test::mentions(error, "monitor/trigger: '" + std::string(text) +
                                          "' is no trigger. Give one of: never, always, every "
                                          "PERIOD, every START:STOP:PERIOD, threshold lambda "
                                          "LIMIT, threshold imbalance_percent LIMIT, custom."));
  }
}

TEST(TriggerText, ErrorsStayInOneLine) {
  EXPECT_ERROR(static_cast<void>(trigger_from_text(std::string("a\0\nb", 4))),
               "'a??b' is no trigger. Give one of");
  std::string umlauts = "x";
  for (int i = 0; i < 1000; ++i) umlauts += "\xc3\xa4";
  const std::string error = test::error_of([&] { static_cast<void>(trigger_from_text(umlauts)); });
  EXPECT_LT(error.size(), 400U);
  EXPECT_GT(std::ranges::count(error, '\xc3'), 50);
  EXPECT_EQ(std::ranges::count(error, '\xc3'), std::ranges::count(error, '\xa4'));
}

TEST(TriggerText, ATriggerWithoutSenseIsAnError) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_ERROR(static_cast<void>(trigger_from_text(text)), part);
  };
  expect("every 0", "The trigger 'every 0' has a period of 0. Give a period of 1 or more; `never`");
  expect("every -5", "negative number of steps");
  expect("every -1:0:5", "negative number of steps");
  expect("every 0:-1:5", "negative number of steps");
  expect("every 100:50:5", "The trigger 'every 100:50:5' stops before it starts.");
  expect("threshold lambda 0", "has no limit. Give a lambda or an imbalance_percent; `never`");
  expect("threshold lambda 1", "impossible lambda. Give a lambda above 1, which is perfect");
  expect("threshold lambda 0.5 imbalance_percent 10", "impossible lambda");
  expect("threshold lambda -2", "impossible lambda");
  expect("threshold lambda inf", "impossible lambda");
  expect("threshold lambda nan", "impossible lambda");
  expect("threshold imbalance_percent 100.5", "impossible imbalance_percent. Give a percentage");
  expect("threshold imbalance_percent -1", "impossible imbalance_percent");
  expect("threshold imbalance_percent nan", "impossible imbalance_percent");
  expect("threshold lambda 2 imbalance_percent inf", "impossible imbalance_percent");
}

// A program may have set its own language.
struct CommaLocale final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(TriggerText, NoLocaleChangesIt) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaLocale));
  expect_text(Threshold{.lambda = 1.5}, "threshold lambda 1.5");
  expect_text(Every{.period = 1000000}, "every 1000000");
  EXPECT_EQ(explain(state_of(Threshold{.lambda = 1.25}), uneven(),
                    {Action::rebalance, Reason::above_threshold}),
            "lambda 1.50 (imbalance 50 %) is above the threshold of 1.25");
  std::locale::global(before);
}

TEST(CheckTrigger, InCodeToo) {
  EXPECT_NO_THROW(check(Trigger(Never{})));
  EXPECT_NO_THROW(check(Trigger(Every{.start = 5, .stop = 5, .period = most})));
  EXPECT_NO_THROW(check(Trigger(Threshold{.lambda = std::nextafter(1.0, 2.0)})));
  EXPECT_NO_THROW(check(Trigger(Threshold{.imbalance_percent = 100})));
  EXPECT_NO_THROW(check(Trigger(Custom{&always})));
  EXPECT_ERROR(check(Trigger(Every{.period = 0})), "period of 0");
  EXPECT_ERROR(check(Trigger(Threshold{})), "has no limit");
  EXPECT_ERROR(check(Trigger(Threshold{.lambda = nan})),
               "'threshold lambda nan' has an impossible");
  EXPECT_ERROR(check(Trigger(Threshold{.lambda = infinity})), "impossible lambda");
  EXPECT_ERROR(check(Trigger(Threshold{.lambda = 2, .imbalance_percent = nan})), "impossible");
  EXPECT_ERROR(check(Trigger(Custom{})),
               "The trigger 'custom' has no function. Give it in code, on all ranks: "
               ".trigger = evenkeel::Custom{function}.");
}

// --- By the step alone ---------------------------------------------------------------------------

std::vector<std::int64_t> due_steps(const Trigger& trigger, std::int64_t last) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = -3; step <= last; ++step)
    if (is_due(trigger, step)) steps.push_back(step);
  return steps;
}

TEST(IsDue, AtTheStepsOfEvery) {
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(due_steps(Every{}, 4), (Steps{1, 2, 3, 4}));
  EXPECT_EQ(due_steps(Every{.period = 3}, 10), (Steps{3, 6, 9}));
  EXPECT_EQ(due_steps(Every{.start = 2, .period = 3}, 10), (Steps{2, 5, 8}));
  EXPECT_EQ(due_steps(Every{.start = 2, .stop = 5, .period = 3}, 20), (Steps{2, 5}));
  EXPECT_EQ(due_steps(Every{.start = 2, .stop = 7, .period = 3}, 20), (Steps{2, 5}));
  EXPECT_EQ(due_steps(Every{.start = 6, .stop = 6, .period = 3}, 20), (Steps{6}));
  EXPECT_EQ(due_steps(Every{.start = most, .period = 1}, 20), Steps{});
  EXPECT_TRUE(is_due(Every{.start = most, .period = most}, most));
}

TEST(IsDue, NeverForOtherTriggers) {
  for (const Trigger& trigger :
       {Trigger(Never{}), Trigger(Threshold{.lambda = 1.1}), Trigger(Custom{&always})})
    EXPECT_TRUE(due_steps(trigger, 20).empty());
  EXPECT_FALSE(is_due(Every{.period = 0}, 5));
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

TEST(Fold, HoldsForEveryReasonInTurn) {
  State state = state_of(Threshold{.lambda = 1.4});
  state.generation = 3;
  state.least_coverage = 0.6;
  state.rebalanced_at = 95;
  state.cooldown_steps = 10;
  state.floor_percent = 60;
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
  const State state = state_of(Threshold{.lambda = 1.4});
  Totals one_rank_behind = uneven();
  one_rank_behind.generation_greatest = 1;
  expect_hold(state, one_rank_behind, Reason::outdated);
  one_rank_behind.generation_least = 1;
  expect_hold(state, one_rank_behind, Reason::outdated);
  State next = state;
  next.generation = 1;
  expect_decision(next, one_rank_behind, Action::rebalance, Reason::above_threshold);
  expect_hold(next, uneven(), Reason::outdated);
}

TEST(Fold, TrustsNoUnfitTotals) {
  const State state = state_of(Custom{&always});
  Totals apart = uneven();
  apart.step_greatest = 101;
  expect_hold(state, apart, Reason::unfit);
  expect_hold(state, Totals{}, Reason::unfit);
  Totals unfit = uneven();
  unfit.unfit = 3;
  expect_hold(state, unfit, Reason::unfit);
}

TEST(Fold, CoolsDownForTheGivenStepsAlone) {
  State state = state_of(Threshold{.lambda = 1.4});
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
  State cooling = state_of(Custom{&always});
  cooling.rebalanced_at = 99;
  cooling.cooldown_steps = 8;
  expect_hold(cooling, uneven(), Reason::cooling_down);
  // The rule sees the mean load of the look before this one.
  State growing = state_of(Custom{[](const State& before, const Totals& now) {
    return now.load.sum / now.ranks > before.mean_load;
  }});
  growing.mean_load = 1999;
  expect_decision(growing, uneven(), Action::rebalance, Reason::custom);
  growing.mean_load = 2000;
  expect_hold(growing, uneven(), Reason::custom);
}

// Lambda is 1 and the imbalance 0, whatever the load; a rule of one's own may still act.
TEST(Fold, OneRankIsEven) {
  const Totals alone = totals_of_loads({1000});
  expect_hold(state_of(Threshold{.lambda = std::nextafter(1.0, 2.0)}), alone,
              Reason::below_threshold);
  expect_hold(state_of(Threshold{.imbalance_percent = 1e-300}), alone, Reason::below_threshold);
  expect_decision(state_of(Custom{&always}), alone, Action::rebalance, Reason::custom);
}

TEST(Fold, TheStateRemembersTheLook) {
  State state = state_of(Threshold{.lambda = 1.4});
  state.looks = 4;
  state.step = 92;
  state.rebalances = 2;
  state.rebalanced_at = 50;
  state.mean_load = 17;
  const State after = fold(state, uneven()).state;
  EXPECT_EQ(after.looks, 5);
  EXPECT_EQ(after.step, 100);
  EXPECT_EQ(after.mean_load, 2000);
  EXPECT_TRUE(after.trigger == state.trigger);
  EXPECT_EQ(after.generation, 0);
  EXPECT_EQ(after.rebalances, 2);  // it has decided, and nothing has moved yet
  EXPECT_EQ(after.rebalanced_at, 50);
  EXPECT_EQ(fold(state, totals_of_loads({0, 0})).state.mean_load, 0);
  EXPECT_EQ(fold(state, totals_of_loads({1, 2})).state.mean_load, 1);
}

TEST(Fold, ALookThatCountsNothingLeavesTheMean) {
  State state = state_of(Threshold{.lambda = 1.4});
  state.mean_load = 17;
  Totals outdated = uneven(), unfit = uneven(), apart = uneven();
  outdated.generation_least = outdated.generation_greatest = 7;
  unfit.unfit = 1;
  apart.step_least = 90;
  for (const Totals& totals : {outdated, unfit, apart}) {
    const State after = fold(state, totals).state;
    EXPECT_EQ(after.looks, 1);
    EXPECT_EQ(after.step, 100);
    EXPECT_EQ(after.mean_load, 17);
  }
}

TEST(Rebalanced, IsCountedAndStartsTheCoolDown) {
  State state = state_of(Threshold{.lambda = 1.4});
  state.cooldown_steps = 8;
  state.looks = 4;
  const State after = rebalanced(state, 96, 1);
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

// Everything that fold looks at comes from its arguments.
TEST(Fold, IsPure) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    State state = state_of(Threshold{.lambda = 1.2});
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

std::string reason_of(const State& state, const Totals& totals) {
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

// Up to six decimals, a figure that is rounded looks neither equal to its limit nor beyond it.
TEST(Explain, ShowsTheDecimalsThatMatter) {
  EXPECT_EQ(reason_of({.lambda = 1.501}, uneven()),
            "lambda 1.500 (imbalance 50 %) is below the threshold of 1.501");
  EXPECT_EQ(reason_of({.lambda = 1.1}, totals_of_loads({901, 1099})),
            "lambda 1.099 (imbalance 18 %) is below the threshold of 1.100");
  EXPECT_EQ(reason_of({.lambda = 1.5}, uneven()),
            "lambda 1.50 (imbalance 50 %) is above the threshold of 1.50");
  EXPECT_EQ(reason_of({.lambda = 1 + 1e-12}, totals_of_loads({5, 5})),
            "lambda 1.000000 (imbalance 0 %) is below the threshold of 1.000000");
  EXPECT_TRUE(test::mentions(reason_of({.lambda = 1e308}, uneven()), "threshold of 1000000000"));
}

TEST(Explain, EveryOtherReason) {
  State state = state_of(Threshold{.lambda = 1.4});
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
  EXPECT_EQ(reason_of(state, totals), "ranks without a sample to trust: 1 of 3");
  totals.step_greatest = 102;
  EXPECT_EQ(reason_of(state, totals), "the ranks are at different steps, from 100 to 102");
  state.generation = 4;
  EXPECT_EQ(reason_of(state, totals),
            "the load is of generation 0 of the decomposition, which is at 4 now");
  totals.generation_greatest = 1;
  EXPECT_EQ(reason_of(state, totals),
            "the load is of generation 0 to 1 of the decomposition, which is at 4 now");
  EXPECT_EQ(reason_of(state_of(Every{.period = 10}), uneven()),
            "the trigger 'every 10' does not look at the load");
  EXPECT_EQ(reason_of(state_of(Custom{&always}), uneven()),
            "lambda 1.50 (imbalance 50 %): the application's own rule says rebalance");
  EXPECT_EQ(reason_of(state_of(Custom{&never}), uneven()),
            "lambda 1.50 (imbalance 50 %): the application's own rule says hold");
  EXPECT_EQ(explain(state, totals, {Action::rebalance, Reason::not_asked}),
            "asked for, whatever the load");
}

TEST(Explain, SaysSomethingForAnyCombination) {
  for (int reason = 0; reason <= static_cast<int>(Reason::custom) + 1; ++reason)
    for (const Action action : {Action::hold, Action::rebalance})
      for (const Trigger& trigger : {Trigger(Never{}), Trigger(Threshold{.lambda = 2})})
        EXPECT_FALSE(
            explain(state_of(trigger), Totals{}, {action, static_cast<Reason>(reason)}).empty());
}

TEST(NameOf, IsDistinct) {
  std::vector<std::string> names;
  for (int reason = 0; reason <= static_cast<int>(Reason::custom); ++reason)
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

// The test vectors of FNV-1a's authors.
TEST(Hash, OfText) {
  EXPECT_EQ(hash_of(std::string()), 0xcbf29ce484222325U);
  EXPECT_EQ(hash_of(std::string("a")), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(hash_of(std::string("foobar")), 0x85944171f73967e8U);
  EXPECT_NE(hash_of(std::string("a\0", 2)), hash_of(std::string("a")));
}

// What the hash is of, written out byte by byte.
struct Bytes {
  std::string text;
  Bytes& add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) text += static_cast<char>((number >> (8 * i)) % 256);
    return *this;
  }
  Bytes& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
};

TEST(Hash, OfAStateByItsBytes) {
  State state = state_of(Threshold{.lambda = 1.1, .imbalance_percent = 7});
  state.floor_percent = 2.5;
  state.least_coverage = 0.25;
  state.cooldown_steps = 3;
  state.looks = 4;
  state.step = 5;
  state.generation = 6;
  state.rebalances = 7;
  state.rebalanced_at = -1;
  state.mean_load = std::int64_t{1} << 40;
  Bytes bytes{"threshold"};
  bytes.add(1.1).add(7.0).add(2.5).add(0.25);
  for (const std::uint64_t number : {3U, 4U, 5U, 6U, 7U}) bytes.add(number);
  bytes.add(~std::uint64_t{0}).add(std::uint64_t{1} << 40U);
  EXPECT_EQ(hash_of(state), hash_of(bytes.text));
}

TEST(Hash, OfADecisionByItsBytes) {
  Bytes bytes;
  bytes.add(std::uint64_t{1}).add(std::uint64_t{7});
  EXPECT_EQ(hash_of(Decision{Action::rebalance, Reason::above_threshold}), hash_of(bytes.text));
}

TEST(Hash, EveryPartOfTheStateMatters) {
  std::vector<State> states(1);
  const auto add = [&](auto change) { change(states.emplace_back()); };
  add([](State& state) { state.trigger = Every{}; });
  add([](State& state) { state.trigger = Every{.start = 1}; });
  add([](State& state) { state.trigger = Every{.stop = 1}; });
  add([](State& state) { state.trigger = Every{.period = 2}; });
  add([](State& state) { state.trigger = Threshold{.lambda = 1.1}; });
  add([](State& state) { state.trigger = Threshold{.imbalance_percent = 1.1}; });
  add([](State& state) { state.trigger = Custom{&always}; });
  add([](State& state) { state.floor_percent = 1; });
  add([](State& state) { state.least_coverage = 1; });
  add([](State& state) { state.cooldown_steps = 1; });
  add([](State& state) { state.looks = 1; });
  add([](State& state) { state.step = 1; });
  add([](State& state) { state.generation = 1; });
  add([](State& state) { state.rebalances = 1; });
  add([](State& state) { state.rebalanced_at = 1; });
  add([](State& state) { state.mean_load = 1; });
  std::vector<std::uint64_t> hashes;
  for (const State& state : states) hashes.push_back(hash_of(state));
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

TEST(Hash, WhatIsEqualHashesAlike) {
  State zero, negative_zero;
  negative_zero.floor_percent = -0.0;
  EXPECT_EQ(hash_of(zero), hash_of(negative_zero));
  EXPECT_EQ(hash_of(state_of(Threshold{.lambda = 2, .imbalance_percent = -0.0})),
            hash_of(state_of(Threshold{.lambda = 2})));
  // A function has another address in each process.
  EXPECT_EQ(hash_of(state_of(Custom{&always})), hash_of(state_of(Custom{&never})));
}

TEST(Hash, DistinguishesDecisions) {
  std::vector<std::uint64_t> hashes;
  for (const Action action : {Action::hold, Action::rebalance})
    for (int reason = 0; reason <= static_cast<int>(Reason::custom); ++reason)
      hashes.push_back(hash_of(Decision{action, static_cast<Reason>(reason)}));
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

}  // namespace
}  // namespace evenkeel
