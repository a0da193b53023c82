// Tests the trigger cost_aware, through fold(), in small worlds. A rule gives the loads of ranks
// under each cut. The loads under other cuts are either known at every look, as in a real run, or
// never.

#include "monitor/decide/cut_world.hpp"
#include "support/harness.hpp"
#include "support/sampled.hpp"

#include <numbers>

namespace evenkeel::cost_aware_test {
namespace {

using test::CutLook;
using test::CutRun;
using test::CutWorld;
using test::play;
using test::Played;
using test::Waste;

// The conditions of a run. Either it looks at single steps and rebalances at once, or the trigger
// chooses epochs and the latency is that of a real run. The loads under other cuts may be known or
// unknown, and so may the length of the run.
struct Manner {
  std::int64_t epoch, latency;
  bool is_told, knows_horizon;

  CutRun run(CutRun run = {}) const {
    run.epoch = epoch;
    run.latency = latency;
    run.is_told = is_told;
    run.knows_horizon = knows_horizon;
    return run;
  }
};

std::vector<Manner> manners(std::initializer_list<bool> are_told = {true, false}) {
  std::vector<Manner> all;
  for (const bool is_told : are_told)
    for (const bool knows_horizon : {true, false}) {
      all.push_back({1, 0, is_told, knows_horizon});
      all.push_back({0, 5, is_told, knows_horizon});
    }
  return all;
}
std::vector<Manner> told() { return manners({true}); }
std::vector<Manner> untold() { return manners({false}); }

std::string text_of(const Manner& manner) {
  return std::string(manner.epoch == 1 ? "single steps" : "epochs") +
         (manner.is_told ? ", reported" : ", not reported") +
         (manner.knows_horizon ? ", horizon known" : "");
}

// The number of steps up to the first look that leads to a rebalance.
double steps_before_act(const Played& played) {
  for (const CutLook& look : played.looks)
    if (look.decision.action == Action::rebalance)
      return static_cast<double>(look.totals.step_greatest);
  return 1e300;
}

constexpr double wastes[] = {0.04, 0.1, 0.75, 2.0};

// For each step that it has watched, the trigger expects this many similar steps to come.
constexpr double trust = 1.5;

// --- Worlds --------------------------------------------------------------------------------------

Waste constant(double waste) {
  return [=](std::int64_t, std::int64_t) { return waste; };
}

// The waste appears in step `at`. It stays until a cut is made after that step.
Waste jumping(std::int64_t at, double height, double before = 0) {
  return [=](std::int64_t step, std::int64_t cut) {
    return step >= at && cut <= at ? height : before;
  };
}

// The age of a cut.
double age_of(std::int64_t step, std::int64_t cut) {
  return static_cast<double>(std::max<std::int64_t>(0, step - cut));
}
double growing(std::int64_t step, std::int64_t cut) { return age_of(step, cut) / 100; }

// --- An imbalance that is there from the start ---------------------------------------------------

Waste cured_to(double left, double waste) {
  return [=](std::int64_t, std::int64_t cut) { return cut > 0 ? left : waste; };
}

// The rebalance must follow a look as soon as it pays off over the steps that the trigger expects.
// With looks at single steps, this is the second look.
TEST(CostAware, CuresAtOnceWhatIsThereFromTheStart) {
  for (const Manner& manner : manners())
    for (const double waste : wastes) {
      SCOPED_TRACE(text_of(manner) + ", u " + std::to_string(waste));
      const CutRun run = manner.run();
      const Played played = play({cured_to(0, waste)}, run);
      ASSERT_EQ(played.rebalances.size(), 1U);
      const double due = std::max(run.cost / (trust * waste), manner.epoch == 1 ? 2.0 : 6.0);
      const double longest = manner.epoch == 1 ? 1 : 10;  // longest look
      EXPECT_GE(steps_before_act(played), due - 1e-9);
      EXPECT_LT(steps_before_act(played), due + longest + 1e-9);
      EXPECT_TRUE(played.has(Reason::curable));
      // After the rebalance, no step is uneven.
      const double delay = steps_before_act(played) + static_cast<double>(manner.latency);
      EXPECT_NEAR(played.slowest - played.mean, delay * waste, 1e-2);
    }
}

// The fresh cut is not perfect, so only the improvement counts. At 0.1 per step, a rebalance of
// cost 5 is due after 33.3 steps.
TEST(CostAware, WeighsWhatAFreshCutWouldTakeOff) {
  for (const Manner& manner : told()) {
    const Played played = play({cured_to(0.3, 0.4)}, manner.run());
    ASSERT_EQ(played.rebalances.size(), 1U) << text_of(manner);
    EXPECT_GE(steps_before_act(played), 5 / (trust * 0.1) - 1e-9);
    EXPECT_LT(steps_before_act(played), 5 / (trust * 0.1) + 10);
  }
}

TEST(CostAware, LeavesAnEvenLoadAlone) {
  for (const Manner& manner : manners()) {
    const Played played = play({constant(0)}, manner.run());
    EXPECT_TRUE(played.rebalances.empty());
    for (const CutLook& look : played.looks)
      EXPECT_EQ(look.decision.reason, Reason::below_noise) << text_of(manner);
  }
}

// --- Cuts that age, and few surveys --------------------------------------------------------------

// A survey takes a quarter of a step, so one in 250 steps is allowed. The application's first
// distribution is far more uneven than all cuts, and cuts get worse by `pace` in each step. If a
// cut is kept for T steps, it loses pace T^2 / 2 + C. The loss per step is least for T = sqrt(2 C /
// pace).
constexpr double pace = 0.002, at_first = 0.98;

Played with_few_surveys(const CutWorld& world, double cost) {
  test::CutPlayer player(world, {.steps = 1000,
                                 .cost = cost,
                                 .epoch = 0,
                                 .latency = 5,
                                 .survey = 0.25,
                                 .knows_horizon = false});
  player.rebalance_unasked();
  return player.play();
}

TEST(CostAware, LearnsHowCutsAgeWhileSurveysAreFew) {
  const CutWorld world = {[](std::int64_t step, std::int64_t cut) {
    return cut == 0 ? at_first : pace * age_of(step, cut);
  }};
  for (const double cost : {1.0, 2.4, 6.0}) {
    const Played played = with_few_surveys(world, cost);
    const double best = std::sqrt(2 * cost * pace);  // loss per step
    const auto done = static_cast<double>(played.rebalances.size() - 2);
    EXPECT_LT(done, 1.4 * 1000 * pace / best) << cost;
    EXPECT_GT(done, 0.7 * 1000 * pace / best) << cost;
    // Each rebalance must save more than it costs, even if no survey measures the loss under the
    // cut that it replaced.
    EXPECT_LE(played.state.ledger.gains.losses, 1) << cost;
  }
}

// Cuts do not age in the first 300 steps. The experience with cuts of that time must not apply to
// later ones.
TEST(CostAware, LearnsAnewWhenCutsBeginToAge) {
  constexpr double cost = 2.4;
  constexpr std::int64_t still = 300;
  const Waste waste = [=](std::int64_t step, std::int64_t cut) {
    return cut == 0 ? at_first : pace * age_of(step, std::max(cut, still));
  };
  const Played played = with_few_surveys({.waste = waste, .weighed = waste}, cost);
  const double best = std::sqrt(2 * cost * pace);  // loss per step
  const auto done = static_cast<double>(
      std::ranges::count_if(played.rebalances, [](std::int64_t step) { return step > still; }));
  const double expected = static_cast<double>(1000 - still) * pace / best;
  EXPECT_LT(done, 1.5 * expected);
  EXPECT_GT(done, 0.7 * expected);
}

// --- What cannot be cured ------------------------------------------------------------------------

TEST(CostAware, NeverTriesWhatIsKnownToBeIncurable) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  for (const Manner& manner : told())
    for (const double waste : wastes) {
      // In the second world, given weights make all cuts look even, but all are uneven, because of
      // a slow node for example.
      for (const CutWorld& world :
           {CutWorld{.waste = constant(waste)},
            CutWorld{.waste = constant(waste), .weighed = constant(0), .promised = 0}}) {
        const Played played = play(world, manner.run({.steps = 3000}));
        EXPECT_TRUE(played.rebalances.empty()) << text_of(manner) << ", u " << waste;
        EXPECT_EQ(played.looks.back().decision.reason, Reason::not_curable);
      }
    }
}

// --- Given weights -------------------------------------------------------------------------------

// The weights explain half of the waste.
TEST(CostAware, CuresWhatGivenWeightsKnowOf) {
  for (const Manner& manner : told()) {
    const Waste halved = cured_to(0.3, 0.6);
    const CutWorld world = {
        .waste = halved,
        .weighed = [=](std::int64_t step, std::int64_t cut) { return halved(step, cut) - 0.3; },
        .promised = 0};
    const Played played = play(world, manner.run({.steps = 1000}));
    EXPECT_EQ(played.rebalances.size(), 1U) << text_of(manner);
  }
}

// Work may move away before the first look after a cut. Then the load is as uneven as before, but
// the cut was not wrong. Weights that agree with the clock show this.
TEST(CostAware, DoesNotTakeHasteForAWrongCut) {
  const Waste high = constant(0.8);
  for (const Manner& manner : told()) {
    SCOPED_TRACE(text_of(manner));
    const CutRun run = manner.run({.steps = 300, .cost = 2, .expected_cost = 2});
    EXPECT_EQ(play({.waste = high, .promised = 0}, run).rebalances.size(), 2U);
    EXPECT_GT(play({.waste = high, .weighed = high, .promised = 0}, run).rebalances.size(), 10U);
  }
}

// --- What cannot be cured, in noise --------------------------------------------------------------

// Noise exceeds a single standard error now and then. The longer a run was watched, the smaller an
// excess suffices for a rebalance. Measured in 20 runs of 3000 steps: at most 8 rebalances if ranks
// are about even. If one rank has 1.75 times the mean, with proportionally more noise: 51
// rebalances of 5 steps each, which is 0.4 % of the time. Looks at single steps cannot separate
// noise from load, and neither can any look on the rank with the greatest load.
TEST(CostAware, HardlyTriesWhatIsKnownToBeIncurableInNoise) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  for (const Manner& manner : told())
    for (const double waste : {0.04, 0.1, 0.75})
      for (const double noise : {0.1, 0.3}) {
        if (manner.epoch == 1) continue;
        std::size_t all = 0;
        for (std::uint64_t seed = 0; seed < test::sampled(20U); ++seed)
          all += play({constant(waste), noise, {}, seed}, manner.run({.steps = 3000}))
                     .rebalances.size();
        EXPECT_LE(all, waste < 0.5 ? 10U : 55U)
            << text_of(manner) << ", u " << waste << ", noise " << noise;
      }
}

// The waste grows, but at any time a fresh cut has the same waste.
TEST(CostAware, NeverTriesWhatGrowsAndIsKnownToBeIncurable) {
  const Waste grows = [](std::int64_t step, std::int64_t) {
    return static_cast<double>(step) / 2000;
  };
  for (const Manner& manner : told())
    EXPECT_TRUE(play({grows}, manner.run({.steps = 5000})).rebalances.empty());
}

// It may rebalance twice. Whenever steps of 200 times the cost have passed, it may do so again, at
// most twice.
TEST(CostAware, TriesTwiceWhatItCannotKnowToBeIncurable) {
  for (const Manner& manner : untold())
    for (const double waste : {0.1, 0.5, 2.0}) {
      SCOPED_TRACE(text_of(manner) + ", u " + std::to_string(waste));
      const CutRun run = manner.run({.steps = 5000});
      const Played played = play({constant(waste)}, run);
      const std::vector<std::int64_t>& at = played.rebalances;
      ASSERT_GE(at.size(), 2U);
      EXPECT_LE(at.size(), 2U + 2 * 4);
      const double pause = 200 * run.cost;
      for (std::size_t i = 2; i < at.size(); ++i)
        EXPECT_GT(static_cast<double>(at[i] - at[i - 2]), pause);
      EXPECT_TRUE(played.has(Reason::not_curable));
    }
}

// If the waste becomes larger, it must try again at once.
TEST(CostAware, TriesAgainWhenItHasChanged) {
  constexpr std::int64_t change = 500;
  const Waste world = [](std::int64_t step, std::int64_t cut) {
    if (step < change) return 0.3;
    return cut > change ? 0.3 : 1.1;
  };
  for (const Manner& manner : untold()) {
    const Played played = play({world}, manner.run({.steps = 900}));
    // If an epoch has steps from before and after the change, its look shows only some of the
    // change.
    ASSERT_GE(played.rebalances.size(), 3U) << text_of(manner);
    ASSERT_LE(played.rebalances.size(), manner.epoch == 1 ? 3U : 4U) << text_of(manner);
    EXPECT_LE(played.rebalances[1], 50);
    EXPECT_GT(played.rebalances[2], change);
    EXPECT_LE(played.rebalances[2], change + 20);
  }
}

// A residual is a share of the load, so it must also shrink with the load to a tenth.
TEST(CostAware, AResidualOfAHighLoadDoesNotKeepALowOneUneven) {
  constexpr std::int64_t change = 300;
  const Waste world = [](std::int64_t step, std::int64_t cut) {
    return step < change || cut > change ? 0.05 : 0.5;
  };
  for (const Manner& manner : manners()) {
    const auto mean = [](std::int64_t step, std::int64_t) { return step < change ? 10.0 : 1.0; };
    const Played played = play({world, 0, mean}, manner.run({.steps = 900}));
    ASSERT_FALSE(played.rebalances.empty()) << text_of(manner);
    const auto after = std::ranges::upper_bound(played.rebalances, change);
    ASSERT_NE(after, played.rebalances.end()) << text_of(manner);
    EXPECT_LE(*after, change + 35) << text_of(manner);
  }
}

// An imbalance was incurable, and now an equal or smaller one is curable. The trigger must notice
// this at once if the waste of other cuts is known, and otherwise after a pause.
TEST(CostAware, AResidualIsForgotten) {
  constexpr std::int64_t change = 300;
  const Waste world = [](std::int64_t step, std::int64_t cut) {
    return step < change ? 0.5 : cut > change ? 0.01 : 0.3;
  };
  for (const Manner& manner : manners()) {
    const CutRun run = manner.run({.steps = 2000});
    const Played played = play({world}, run);
    const auto after = std::ranges::upper_bound(played.rebalances, change);
    ASSERT_NE(after, played.rebalances.end()) << text_of(manner);
    const double pause = manner.is_told ? 0 : 200 * run.cost;
    EXPECT_LE(static_cast<double>(*after), change + 30 + pause) << text_of(manner);
  }
}

// --- What comes while it runs --------------------------------------------------------------------

// The trigger expects as many steps as it has seen. So it must cure the jump at the second step, or
// after two looks and the latency; one of these looks has steps from before the jump.
TEST(CostAware, CuresAJumpThatStays) {
  constexpr std::int64_t jump = 100;
  for (const Manner& manner : manners())
    for (const double height : {0.2, 0.8}) {
      SCOPED_TRACE(text_of(manner) + ", " + std::to_string(height));
      const Played played = play({jumping(jump, height)}, manner.run());
      ASSERT_EQ(played.rebalances.size(), 1U);
      EXPECT_GT(played.rebalances.front(), jump);
      EXPECT_LE(played.rebalances.front() - jump, manner.epoch == 1 ? 2 : 15);
    }
}

// The waste grows over 8 steps and then stays. A second rebalance would not pay off: in 300 steps,
// the remaining 0.01 amounts to 1.5 x 3, which is less than the cost of 5.
TEST(CostAware, CuresWhatHasGrownAndStays) {
  const Waste plateau = [](std::int64_t step, std::int64_t cut) {
    return cut > 0 ? 0.01 : std::min(0.4, static_cast<double>(step) / 20);
  };
  for (const Manner& manner : manners()) {
    const Played played = play({plateau}, manner.run({.steps = 300}));
    ASSERT_EQ(played.rebalances.size(), 1U) << text_of(manner);
    EXPECT_LE(played.rebalances.front(), manner.epoch == 1 ? 10 : 21);
  }
}

// Under every cut, 20 of 50 steps are uneven.
TEST(CostAware, LeavesBurstsAloneThatNoCutCures) {
  const Waste bursts = [](std::int64_t step, std::int64_t) { return step % 50 >= 30 ? 0.8 : 0.02; };
  for (const Manner& manner : told())
    EXPECT_TRUE(play({bursts}, manner.run({.steps = 1000, .cost = 8})).rebalances.empty());
}

// If u = m n, a cut that is kept for T steps costs C + m T^2 / 2. The cost per step is least for T
// = sqrt(2 C / m).
TEST(CostAware, KeepsTheBestIntervalOfSteadyGrowth) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  constexpr std::int64_t steps = 3000;
  for (const Manner& manner : told())
    for (const double growth : {0.002, 0.01, 0.03})
      for (const double cost : {2.0, 5.0, 20.0}) {
        SCOPED_TRACE(text_of(manner) + ", " + std::to_string(growth) + ", " + std::to_string(cost));
        const Waste saw = [=](std::int64_t step, std::int64_t cut) {
          return growth * age_of(step, cut);
        };
        const double best = std::sqrt(2 * cost / growth);
        if (growth * best > 2.5) continue;  // a rank would have a negative load
        const CutRun run = manner.run({.steps = steps, .cost = cost, .expected_cost = cost});
        const Played played = play({saw}, run);
        ASSERT_GE(played.rebalances.size(), 5U);
        const auto interval =
            static_cast<double>(played.rebalances.back() - played.rebalances.front()) /
            static_cast<double>(played.rebalances.size() - 1);
        const auto per_step = [=](double every) { return cost / every + growth * every / 2; };
        const double lost = (played.slowest - played.mean + played.spent) / steps;
        if (manner.epoch == 1) {
          EXPECT_GT(interval, best);
          EXPECT_LT(interval, 1.06 * best + 1);
          EXPECT_LT(lost, std::max(per_step(best), per_step(best + 1)));
        } else {
          // Looks come every 6 to 10 steps, so the best step may be missed. The trigger considers
          // its own latency.
          EXPECT_GT(interval, best - 5);
          EXPECT_LT(interval, 1.06 * best + 5);
          EXPECT_LT(lost, std::max(per_step(best - 5), per_step(best + 5)));
        }
      }
}

// If the loads under other cuts are unknown, the trigger does not know the time without rebalances,
// and may lose a little more.
TEST(CostAware, CuresGrowthThatNobodyForesees) {
  constexpr std::int64_t steps = 3000;
  for (const Manner& manner : untold())
    for (const double cost : {2.0, 5.0, 20.0}) {
      const CutRun run = manner.run({.steps = steps, .cost = cost, .expected_cost = cost});
      const Played played = play({&growing}, run);
      EXPECT_LT((played.slowest - played.mean + played.spent) / steps, 1.12 * std::sqrt(cost / 50))
          << text_of(manner) << ", " << cost;
    }
}

TEST(CostAware, BelievesTheExpectedCostUntilItKnows) {
  for (const Manner& manner : told()) {
    CutRun run = manner.run({.steps = 500, .cost = 1, .expected_cost = 50});
    const std::vector<std::int64_t> dear = play({&growing}, run).rebalances;
    run.expected_cost = 1;
    const std::vector<std::int64_t> cheap = play({&growing}, run).rebalances;
    ASSERT_GE(dear.size(), 3U);
    EXPECT_GT(dear.front(), 2 * cheap.front());
    EXPECT_LT(dear[2] - dear[1], 30);
  }
}

// --- The end -------------------------------------------------------------------------------------

// The rebalance would pay off after 34 of 40 steps. If the length of the run is unknown, the
// trigger cannot know that the run ends.
TEST(CostAware, DoesNothingNearTheEnd) {
  for (const Manner& manner : manners()) {
    const CutRun run = manner.run({.steps = 40, .cost = 25, .expected_cost = 25});
    const Played played = play({cured_to(0, 0.75)}, run);
    EXPECT_EQ(played.has(Reason::curable), !manner.knows_horizon) << text_of(manner);
    EXPECT_EQ(played.has(Reason::near_end), manner.knows_horizon) << text_of(manner);
  }
}

// If it acts, the remaining steps must pay for the rebalance.
TEST(CostAware, NeverActsWhereWhatIsLeftDoesNotPay) {
  std::size_t acts = 0;
  for (unsigned seed = 0; seed < 30; ++seed)
    for (const Manner& manner : told()) {
      if (!manner.knows_horizon) continue;
      const double jump = 0.1 + 0.05 * seed;
      const std::int64_t at = 10 + 12 * static_cast<std::int64_t>(seed);
      const CutRun run = manner.run();
      for (const CutLook& look : play({jumping(at, jump)}, run).looks) {
        if (look.decision.action != Action::rebalance) continue;
        ++acts;
        const auto left = static_cast<double>(run.steps - look.totals.step_greatest - run.latency);
        EXPECT_GE(jump * left, run.cost * (1 - 1e-9)) << seed << ' ' << text_of(manner);
      }
    }
  EXPECT_GT(acts, 30U);
}

// --- Debt ----------------------------------------------------------------------------------------

// The decision at a look in a run that has lost `costs` rebalances, compared with no rebalances at
// all. The loss at this look is `times_the_price` times the loss at which a rebalance is due.
Decision in_debt(double costs, double times_the_price, double lost_before,
                 bool knows_never = true) {
  const std::int64_t mean = 1 << 20;
  DecisionState state;
  state.trigger = CostAware{};
  state.ledger.cost.learn(5.0 * mean, 0);
  state.mean_load = mean;
  state.ledger.spent = costs * 5 * mean;
  state.ledger.never.pending = knows_never ? 0 : 1;
  state.outlook.measured = 94;  // with this look 100: the price is 5 / 150
  state.outlook.fresh = 0;
  state.outlook.curable.lost = lost_before;
  state.outlook.first.generation = 7;  // of a look that measures no `never`
  const double waste = times_the_price * 5 / (trust * 100);
  const Totals totals = test::over_ranks(4, [&](std::size_t rank) {
    const double share = rank == 0 ? 1 + waste : 1 - waste / 3;
    Sample sample = {.step = 1000, .steps = 6};
    sample.load = sample.duration = std::llround(6 * share * mean);
    sample.would_be.fresh = 6 * mean;
    return totals_of(sample, mean);
  });
  return fold(state, totals).decision;
}

// The load swings. A cut that is made at a turn of the load is outdated half of the time. The first
// domains suit the middle. After some cuts in vain, the trigger must go back to the first domains
// and stay there.
TEST(CostAware, StaysWithTheFirstDomainsWhereCutsAreOutrun) {
  for (const double period : {40.0, 50.0, 60.0}) {
    const auto place = [=](std::int64_t step) {
      return step == 0 ? 0 : std::sin(2 * std::numbers::pi * static_cast<double>(step) / period);
    };
    const Waste swinging = [=](std::int64_t step, std::int64_t cut) {
      return 0.9 * std::abs(place(step) - place(cut));
    };
    CutRun run = {.steps = 2000, .cost = 8, .epoch = 0, .latency = 5, .expected_cost = 2};
    run.kept_from = 0;
    const Played played = play({swinging}, run);
    run.trigger = Never{};
    EXPECT_LT(played.total(), 1.05 * play({swinging}, run).total()) << period;
    EXPECT_LT(played.rebalances.size(), 10U) << period;
  }
}

TEST(CostAware, AsksForMoreWhenItIsInDebt) {
  EXPECT_EQ(in_debt(0, 1.2, 0).reason, Reason::curable);
  EXPECT_EQ(in_debt(1.4, 1.2, 0).reason, Reason::curable);
  EXPECT_EQ(in_debt(1.6, 1.2, 100).reason, Reason::in_debt) << "more than it must";
  EXPECT_EQ(in_debt(1.6, 1.6, 0).reason, Reason::in_debt) << "and not before it has lost enough";
  EXPECT_EQ(in_debt(1.6, 1.4, 100).reason, Reason::in_debt);
  // This look adds 6 x 1.6 / 30 = 0.32 to the loss. The limit is twice the cost.
  EXPECT_EQ(in_debt(1.6, 1.6, 9.6).reason, Reason::in_debt);
  EXPECT_EQ(in_debt(1.6, 1.6, 9.7).reason, Reason::curable);
  EXPECT_EQ(in_debt(1.6, 1.2, 0, false).reason, Reason::curable) << "who knows what never took?";
  EXPECT_EQ(in_debt(1.6, 0.9, 100).reason, Reason::below_cost);
}

// --- Noise ---------------------------------------------------------------------------------------

// In each step, the load of each rank is 1 plus noise, under every cut. Epochs show how much loads
// scatter, and a survey shows the noise. Measured: 1 rebalance in 10 runs with surveys; 2, 4 or 8
// in each run without a survey, depending on the noise; 2 in each run with looks at single steps,
// which only show the curvature of the loads.
TEST(CostAware, HardlyActsOnNoise) {
  for (const Manner& manner : manners()) {
    if (manner.epoch == 1 && !manner.is_told) continue;  // noise cannot be recognized
    for (const double noise : {0.1, 0.3, 1.0}) {
      std::size_t all = 0;
      constexpr std::uint64_t runs = test::sampled(10U);
      for (std::uint64_t seed = 0; seed < runs; ++seed)
        all +=
            play({constant(0), noise, {}, seed, 8}, manner.run({.steps = 500})).rebalances.size();
      const std::size_t untold = noise < 0.2 ? 25 : noise < 0.5 ? 50 : 80;
      EXPECT_LE(all, manner.epoch == 1 ? 25
                     : manner.is_told  ? 2
                                       : untold)
          << text_of(manner) << ", " << noise;
    }
  }
}

TEST(CostAware, CuresWhatIsLargerThanNoise) {
  for (const Manner& manner : told())
    for (const double noise : {0.1, 0.3, 1.0})
      for (std::uint64_t seed = 0; seed < test::sampled(10U); ++seed) {
        const Waste world = cured_to(0, std::max(0.75, noise));
        const Played played = play({world, noise, {}, seed, 8}, manner.run());
        SCOPED_TRACE(text_of(manner) + ", " + std::to_string(noise));
        ASSERT_FALSE(played.rebalances.empty());
        EXPECT_LE(played.rebalances.front(), noise < 1 ? 20 : 25);
      }
}

// All loads of a look are multiplied by a common factor. The cost of a rebalance is a multiple of
// the mean step.
TEST(CostAware, DoesNotDependOnWhatAllRanksHaveInCommon) {
  const auto factor = [](std::int64_t, std::int64_t look) {
    return std::ldexp(1, static_cast<int>(7 * look % 5) - 2);
  };
  const std::vector<Waste> worlds = {&growing, jumping(100, 0.5, 0.02), cured_to(0.02, 0.3),
                                     constant(0.5)};
  for (const bool knows_horizon : {true, false})
    for (const double noise : {0.0, 0.1, 1.0})
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        const CutRun run = {.tells_costs = false, .knows_horizon = knows_horizon};
        const Played plain = play({worlds[i], noise}, run);
        const Played scaled = play({worlds[i], noise, factor}, run);
        EXPECT_EQ(scaled.reasons(), plain.reasons()) << i << ", noise " << noise;
        EXPECT_EQ(scaled.rebalances, plain.rebalances) << i << ", noise " << noise;
      }
}

// --- Invariants ----------------------------------------------------------------------------------

// Growth, jumps, bursts and noise are random. A cut removes a share of the waste.
struct RandomWorld {
  double slope, jump, burst, curable;
  std::int64_t jumps_at, period;

  explicit RandomWorld(unsigned drawn) {
    std::mt19937_64 random(drawn);
    std::uniform_real_distribution<double> unit(0, 1);
    const auto sometimes = [&](double most) {
      return unit(random) < 0.5 ? most * unit(random) : 0;
    };
    slope = sometimes(0.02);
    jump = sometimes(1);
    burst = sometimes(1);
    curable = unit(random) < 0.3 ? 0 : 1;
    jumps_at = static_cast<std::int64_t>(400 * unit(random));
    period = 20 + static_cast<std::int64_t>(80 * unit(random));
  }

  double operator()(std::int64_t step, std::int64_t cut) const {
    const std::int64_t since = std::max<std::int64_t>(0, step - (curable > 0 ? cut : 0));
    double waste = 0.01 + slope * static_cast<double>(since);
    if (step >= jumps_at && (curable == 0 || cut < jumps_at)) waste += jump;
    if (step % period < period / 3) waste += burst;
    return std::min(waste, 3.0);
  }
};

constexpr unsigned worlds = test::sampled(60U);

CutWorld random_world(unsigned seed) {
  return {RandomWorld(seed), seed % 3 == 0 ? 0.1 : 0.0, {}, seed};
}

double never(const CutWorld& world, CutRun run) {
  run.trigger = Never{};
  return play(world, run).total();
}

// In these worlds no cut is worse than an older one, so a rebalance can lose at most its cost.
TEST(CostAware, IsHardlySlowerThanNever) {
  for (const Manner& manner : told()) {
    int within = 0;
    for (unsigned seed = 0; seed < worlds; ++seed) {
      const CutRun run = manner.run();
      const double total = play(random_world(seed), run).total();
      const double without = never(random_world(seed), run);
      EXPECT_LE(total, without + 2.01 * run.cost) << seed << ", " << text_of(manner);
      if (total <= without + 1.5 * run.cost) ++within;
    }
    EXPECT_GE(within, manner.knows_horizon ? worlds : worlds * 9 / 10) << text_of(manner);
  }
}

// All times, and the cost, are multiplied by the same power of two.
TEST(CostAware, DoesNotDependOnTheUnitOfTime) {
  for (const Manner& manner : manners())
    for (unsigned seed = 0; seed < worlds; seed += 3) {
      CutRun run = manner.run();
      const Played usual = play(random_world(seed), run);
      for (const int power : {22, 28, 36}) {
        run.unit = std::int64_t{1} << power;
        const Played other = play(random_world(seed), run);
        EXPECT_EQ(other.rebalances, usual.rebalances) << seed << " 2^" << power;
        EXPECT_EQ(other.reasons(), usual.reasons()) << seed << " 2^" << power;
      }
    }
}

TEST(CostAware, LooksEverySixToTenSteps) {
  std::set<std::int64_t> seen;
  for (unsigned seed = 0; seed < worlds; ++seed) {
    const Played played = play(random_world(seed), {.epoch = 0, .latency = 5});
    EXPECT_EQ(played.epochs.front(), 6);
    seen.insert(played.epochs.begin(), played.epochs.end());
  }
  if (!test::is_sanitized) {
    EXPECT_EQ(seen, std::set<std::int64_t>({6, 8, 10}));
  }
}

// The longer the load is even, the rarer looks must become. When it is uneven, they must be
// frequent again.
TEST(CostAware, LooksLessOftenWhileAllIsCalm) {
  constexpr std::int64_t jump = 150;
  const Waste world = [](std::int64_t step, std::int64_t cut) {
    return step < jump || cut > jump ? 0 : 0.2;
  };
  const Played played = play({world}, {.cost = 50, .epoch = 0, .expected_cost = 1000});
  std::vector<std::int64_t> expected(5, 6);
  expected.insert(expected.end(), 4, 8);
  expected.insert(expected.end(), 8, 10);
  const auto calm = static_cast<std::ptrdiff_t>(expected.size());
  ASSERT_GT(std::ssize(played.epochs), calm);
  EXPECT_EQ(std::vector(played.epochs.begin(), played.epochs.begin() + calm), expected);
  const Played uneasy = play({world}, {.cost = 2, .epoch = 0, .expected_cost = 2});
  EXPECT_EQ(uneasy.rebalances.size(), 1U);
  const auto after = std::ranges::find(uneasy.epochs, 10);
  EXPECT_NE(std::find(after, uneasy.epochs.end(), 6), uneasy.epochs.end());
}

TEST(CostAware, IsPure) {
  for (const Manner& manner : manners())
    for (unsigned seed = 0; seed < worlds; ++seed) {
      const Played first = play(random_world(seed), manner.run());
      for (const CutLook& look : first.looks) {
        const Verdict again = fold(look.before, look.totals);
        ASSERT_EQ(hash_of(again.decision), hash_of(look.decision));
      }
      EXPECT_EQ(hash_of(first.state), hash_of(play(random_world(seed), manner.run()).state));
    }
}

// The totals of ranks may be combined in any order. The kernels that make up a load, recurring or
// not, must not matter.
TEST(CostAware, IsTheSameOnAllRanksWhateverTheKernels) {
  std::mt19937_64 random(3);
  for (unsigned seed = 0; seed < worlds; seed += 4)
    for (const CutLook& look : play(random_world(seed), {.epoch = 0, .latency = 5}).looks) {
      Totals other = look.totals;
      for (RankTally& kernel : other.kernels)
        kernel = {static_cast<std::int64_t>(random() % 1'000'000), 0,
                  static_cast<std::int64_t>(random() % 1'000'000)};
      const Verdict verdict = fold(look.before, look.totals);
      ASSERT_EQ(hash_of(fold(look.before, other).state), hash_of(verdict.state));
      ASSERT_EQ(hash_of(fold(look.before, other).decision), hash_of(verdict.decision));
    }
  for (int i = 0; i < 100; ++i) {
    std::array<Totals, 5> ranks;
    for (Totals& of_rank : ranks) {
      Sample sample = {.step = 10, .steps = 6};
      sample.load = sample.duration = static_cast<std::int64_t>(random() % 1'000'000);
      sample.variance = static_cast<std::int64_t>(random() % 1000);
      sample.would_be.fresh = 400'000;
      of_rank = totals_of(sample, 50'000);
    }
    DecisionState state;
    state.trigger = CostAware{};
    std::uint64_t expected = 0;
    for (int order = 0; order < 5; ++order) {
      std::ranges::shuffle(ranks, random);
      const Totals all = test::over_ranks(5, [&](std::size_t rank) { return ranks[rank]; });
      const std::uint64_t hash = hash_of(fold(state, all).state);
      if (order == 0) expected = hash;
      ASSERT_EQ(hash, expected);
    }
  }
}

// Totals may hold any values.
TEST(CostAware, SurvivesWhatIsOutOfTheOrdinary) {
  std::mt19937_64 random(8);
  const auto any = [&]() -> std::int64_t {
    const std::array<std::int64_t, 6> odd = {
        0, 1, -1, 1000, std::int64_t{1} << 40, std::int64_t{1} << 61};
    return odd[random() % odd.size()];
  };
  DecisionState state;
  state.trigger = CostAware{};
  for (int i = 0; i < 2000; ++i) {
    const Totals totals = test::over_ranks(1 + random() % 3, [&](std::size_t) {
      Sample sample = {.step = 8 * i,
                       .steps = 1 + static_cast<std::int64_t>(random() % 8),
                       .generation = state.generation};
      sample.load = any();
      sample.duration = any();
      sample.variance = any();
      sample.cost = any();
      sample.all_load = any();
      sample.all_steps = sample.steps;
      sample.slots.fill(any());
      sample.other_slots.fill(any());
      sample.would_be = {any(), any(), any(), any(), any(), any(), {}, {}};
      sample.would_be.earlier.fill(any());
      sample.would_be.age.fill(any());
      return totals_of(sample, state.mean_load);
    });
    const Verdict verdict = fold(state, totals);
    state = verdict.state;
    ASSERT_FALSE(std::isnan(verdict.decision.weighed)) << i;
    ASSERT_FALSE(std::isnan(verdict.decision.against)) << i;
    const std::int64_t epoch = epoch_length(state);
    ASSERT_TRUE(epoch >= 6 && epoch <= 10) << epoch;
    if (verdict.decision.action == Action::rebalance)
      state = rebalanced(state, 8 * i, state.generation + 1);
  }
}

}  // namespace
}  // namespace evenkeel::cost_aware_test
